#include "soak/slot.h"
#include "tests/soak/usual.h"

#include <gtest/gtest.h>

#include <csignal>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace soak {
namespace {

/// All words of a tally of usual::filled() tell the same number.
bool is_whole(const Tally& tally) {
    return usual::words(tally) == usual::words(usual::filled(usual::words(tally)[0]));
}

TEST(Slot, a_new_one_is_parked_and_empty) {
    const Slot slot;
    EXPECT_EQ(slot.mode(), Mode::park);
    EXPECT_TRUE(slot.acknowledged());
    EXPECT_EQ(slot.read(), Tally{});
    EXPECT_FALSE(slot.displaced());
    EXPECT_EQ(slot.sample_count(), 0u);
}

TEST(Slot, the_newest_tally_is_read) {
    Slot slot;
    for (int64_t i = 1; i <= 100; ++i) {
        slot.publish(usual::filled(i));
        EXPECT_EQ(slot.read(), usual::filled(i));
        EXPECT_EQ(slot.read(), usual::filled(i));
    }
}

TEST(Slot, soak_and_park_set_their_own_edge) {
    Slot slot;
    slot.command(Mode::soak, 100);
    EXPECT_EQ(slot.mode(), Mode::soak);
    EXPECT_EQ(slot.begin(), 100);
    slot.command(Mode::park, 200);
    EXPECT_EQ(slot.mode(), Mode::park);
    EXPECT_EQ(slot.begin(), 100);
    EXPECT_EQ(slot.end(), 200);
    slot.command(Mode::sample);
    slot.command(Mode::quit);
    EXPECT_EQ(slot.mode(), Mode::quit);
    EXPECT_EQ(slot.begin(), 100);
    EXPECT_EQ(slot.end(), 200);
}

TEST(Slot, stalls_are_counted_by_their_length) {
    Slot slot;
    slot.set_limits({.ticks_per_ns = 2});
    for (const Ticks ticks : {1'000, 4'000, 4'002, 400'000, 50'000'000})
        slot.count_stall(ticks); // 0.5, 2, 2.001 and 200 us, 25 ms
    StallCounts expected{.count = {2, 1, 0, 0, 0, 1, 0, 0, 1}};
    expected.sum = Nanoseconds(25'204'501);
    EXPECT_EQ(slot.stalls(), expected);
    EXPECT_EQ(slot.stalls() - slot.stalls(), StallCounts{});
    EXPECT_EQ((slot.stalls() + slot.stalls()).count[0], 4u);
}

TEST(Slot, the_same_command_again_is_another_command) {
    Slot slot;
    slot.command(Mode::soak, 100);
    const uint32_t first = slot.command_word();
    slot.acknowledge(first);
    EXPECT_TRUE(slot.acknowledged());
    slot.command(Mode::soak, 200);
    EXPECT_FALSE(slot.acknowledged());
    EXPECT_NE(slot.command_word(), first);
    slot.acknowledge(first); // late
    EXPECT_FALSE(slot.acknowledged());
    slot.acknowledge(slot.command_word());
    EXPECT_TRUE(slot.acknowledged());
}

TEST(Slot, a_command_wakes_the_waiting_soaker) {
    const auto slot = std::make_unique<Slot>();
    const uint32_t word = slot->command_word();
    std::thread soaker([&] {
        while (slot->command_word() == word)
            slot->wait(word);
    });
    usleep(20'000); // long enough, most times, that it is asleep
    slot->command(Mode::quit);
    soaker.join();
}

TEST(Slot, waiting_for_a_command_that_came_already_returns) {
    Slot slot;
    const uint32_t word = slot.command_word();
    slot.command(Mode::soak, 1);
    slot.wait(word);
}

TEST(Slot, samples_are_kept_up_to_the_last_place) {
    const auto slot = std::make_unique<Slot>();
    slot->add_sample(ChunkKind::latency, 200);
    slot->add_sample(ChunkKind::walk, Ticks{1} << 40);
    slot->add_sample(ChunkKind::walk, -3);
    EXPECT_EQ(slot->samples()[0].kind, ChunkKind::latency);
    EXPECT_EQ(slot->samples()[0].ticks, 200u);
    EXPECT_EQ(slot->samples()[1].ticks, UINT32_MAX);
    EXPECT_EQ(slot->samples()[2].ticks, 0u);
    for (size_t i = 0; i < 2 * Slot::most_samples; ++i)
        slot->add_sample(ChunkKind::walk, 1);
    EXPECT_EQ(slot->sample_count(), Slot::most_samples);
    slot->clear_samples();
    EXPECT_EQ(slot->sample_count(), 0u);
}

TEST(Slot, a_reader_never_sees_half_a_tally) {
    const auto slot = std::make_unique<Slot>();
    std::atomic<bool> enough = false;
    std::thread writer([&] {
        for (int64_t i = 1; !enough.load(std::memory_order_relaxed); ++i)
            slot->publish(usual::filled(i));
    });
    int halves = 0, steps_back = 0;
    int64_t last = 0;
    for (int i = 0; i < 200'000; ++i) {
        const Tally tally = slot->read();
        const int64_t number = usual::words(tally)[0];
        halves += !is_whole(tally);
        steps_back += number < last;
        last = number;
    }
    enough = true;
    writer.join();
    EXPECT_EQ(halves, 0);
    EXPECT_EQ(steps_back, 0);
}

/// A slot in memory that a forked writer shares with us.
class SharedSlot {
  public:
    SharedSlot()
        : memory_(mmap(nullptr, sizeof(Slot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                       -1, 0)) {
        slot_ = new (memory_) Slot;
    }
    SharedSlot(const SharedSlot&) = delete;
    SharedSlot& operator=(const SharedSlot&) = delete;
    ~SharedSlot() { munmap(memory_, sizeof(Slot)); }
    Slot* operator->() { return slot_; }

  private:
    void* memory_;
    Slot* slot_ = nullptr;
};

TEST(Slot, a_writer_stopped_anywhere_leaves_a_whole_tally) {
    SharedSlot slot;
    const pid_t writer = fork();
    ASSERT_GE(writer, 0);
    if (writer == 0)
        for (int64_t i = 1;; ++i)
            slot->publish(usual::filled(i));
    for (int i = 0; i < 100; ++i) {
        usleep(100);
        kill(writer, SIGSTOP);
        ASSERT_EQ(waitpid(writer, nullptr, WUNTRACED), writer);
        const Tally tally = slot->read();
        EXPECT_TRUE(is_whole(tally));
        EXPECT_EQ(slot->read(), tally);
        kill(writer, SIGCONT);
    }
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
}

} // namespace
} // namespace soak
