#include "base/cpu_list.h"
#include "soak/replay.h"
#include "soak/soaker.h"
#include "soak/working_set.h"
#include "tests/soak/usual.h"

#include <gtest/gtest.h>

#include <memory>
#include <system_error>
#include <thread>

namespace soak {
namespace {

using namespace std::chrono_literals;

/// Waits, however busy the machine is.
template <typename Condition>
bool eventually(Condition&& condition) {
    const auto deadline = base::monotonic_now() + 60s;
    while (!condition()) {
        if (base::monotonic_now() > deadline) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

/// A soaker in a thread of ours with a working set of 64 lines.
class RunningSoaker {
  public:
    static SoakerPlace usual_place() {
        const int cpu = base::usable_cpus().front();
        return {.cpu = cpu, .evicting_bytes = 4096, .bind = [cpu] { base::use_cpus({cpu}); }};
    }

    explicit RunningSoaker(SoakerPlace place = usual_place()) : place_(std::move(place)) {
        place_.memory = std::as_writable_bytes(std::span(lines_));
        slot_->set_limits(usual::limits());
        thread_ = std::thread([this] { run_soaker(*slot_, place_); });
    }
    RunningSoaker(const RunningSoaker&) = delete;
    RunningSoaker& operator=(const RunningSoaker&) = delete;
    ~RunningSoaker() {
        slot_->command(Mode::quit);
        thread_.join();
    }

    Slot& slot() { return *slot_; }
    Ticks now() const { return place_.counter ? CounterClock::now() : SystemClock::now(); }

    bool acknowledges() {
        return eventually([&] { return slot_->acknowledged(); });
    }
    /// Soaks from now on until a few hundred chunks are done.
    Ticks soak() {
        const Ticks edge = now();
        slot_->command(Mode::soak, edge);
        EXPECT_TRUE(eventually([&] {
            const Tally tally = slot_->read();
            return tally.begin == edge && tally.chunks[index(ChunkKind::latency)].done > 10;
        }));
        return edge;
    }
    /// Parks at an edge that is still to come when the soaker hears of it.
    Ticks park() {
        const auto ahead = static_cast<Ticks>(1e7);
        const Ticks edge = now() + ahead;
        slot_->command(Mode::park, edge);
        EXPECT_TRUE(acknowledges());
        return edge;
    }

  private:
    SoakerPlace place_;
    std::array<WorkingSet::Line, 64> lines_{};
    std::unique_ptr<Slot> slot_ = std::make_unique<Slot>();
    std::thread thread_;
};

void expect_accounted(const Tally& tally) {
    EXPECT_EQ(usual::accounted(tally, usual::limits()), tally.until - tally.begin);
}

TEST(Soaker, starts_parked) {
    RunningSoaker soaker;
    EXPECT_TRUE(soaker.acknowledges());
    EXPECT_EQ(soaker.slot().read(), Tally{});
}

TEST(Soaker, accounts_for_all_time_from_edge_to_edge) {
    RunningSoaker soaker;
    const Ticks begin = soaker.soak();
    const Ticks end = soaker.park();
    const Tally tally = soaker.slot().read();
    EXPECT_EQ(tally.begin, begin);
    EXPECT_GE(tally.until, end); // later only if this thread was kept from giving the command
    expect_accounted(tally);
    EXPECT_GT(tally.chunks[index(ChunkKind::walk)].done, 0);
    EXPECT_GT(tally.chunks[index(ChunkKind::throughput)].done, 0);
    EXPECT_LE(tally.task_ticks, tally.stall_ticks);
    EXPECT_FALSE(soaker.slot().displaced());
}

TEST(Soaker, stops_exactly_at_an_edge_that_it_knew_in_time) {
    RunningSoaker soaker;
    soaker.soak();
    // A future edge, as far off as it takes for the command to come in time.
    for (Ticks ahead = 1'000'000;; ahead *= 2) {
        const Ticks edge = soaker.now() + ahead;
        soaker.slot().command(Mode::park, edge);
        const bool in_time = soaker.now() < edge;
        ASSERT_TRUE(soaker.acknowledges());
        if (in_time) {
            EXPECT_EQ(soaker.slot().read().until, edge);
            return;
        }
        soaker.soak();
    }
}

TEST(Soaker, tallies_add_up_at_any_moment) {
    RunningSoaker soaker;
    soaker.soak();
    for (int i = 0; i < 1000; ++i)
        expect_accounted(soaker.slot().read());
    soaker.park();
}

TEST(Soaker, begins_anew_after_parking) {
    RunningSoaker soaker;
    soaker.soak();
    soaker.park();
    const Ticks second = soaker.soak();
    soaker.park();
    const Tally tally = soaker.slot().read();
    EXPECT_EQ(tally.begin, second);
    expect_accounted(tally);
}

TEST(Soaker, records_what_it_tells_its_accountant) {
    const auto ring = std::make_unique<RecordRing>();
    auto place = RunningSoaker::usual_place();
    place.ring = ring.get();
    RunningSoaker soaker(place);
    soaker.soak();
    soaker.park();
    Block block;
    ring->take(block.payload);
    EXPECT_EQ(block.payload, ""); // not wanted yet
    ring->set_wanted(true);
    const Ticks begin = soaker.soak();
    soaker.park();
    ring->take(block.payload);
    if (ring->lost_bytes() > 0) return; // this thread was kept from taking them
    const Tally tally = soaker.slot().read();
    CpuReplay replay(usual::limits(), "ring");
    replay.add(std::move(block));
    EXPECT_TRUE(replay.play_to(begin, tally.chunks_done()));
    EXPECT_EQ(replay.tally(), tally);
}

TEST(Soaker, quits_while_it_soaks) {
    RunningSoaker soaker;
    soaker.soak();
} // and the thread can be joined

TEST(Soaker, a_new_soak_command_needs_no_park_between) {
    RunningSoaker soaker;
    soaker.soak();
    const Ticks second = soaker.soak();
    soaker.park();
    EXPECT_EQ(soaker.slot().read().begin, second);
    expect_accounted(soaker.slot().read());
}

TEST(Soaker, soaks_without_a_working_set) {
    Slot slot;
    SoakerPlace place = RunningSoaker::usual_place();
    std::thread thread([&] { run_soaker(slot, place); });
    slot.command(Mode::soak, CounterClock::now());
    EXPECT_TRUE(eventually([&] { return slot.read().chunks[index(ChunkKind::walk)].done > 100; }));
    slot.command(Mode::quit);
    thread.join();
}

TEST(Soaker, soaks_by_the_system_clock) {
    auto place = RunningSoaker::usual_place();
    place.counter = false;
    RunningSoaker soaker(place);
    const Ticks begin = soaker.soak();
    const Ticks end = soaker.park();
    EXPECT_EQ(soaker.slot().read().begin, begin);
    EXPECT_GE(soaker.slot().read().until, end);
    expect_accounted(soaker.slot().read());
}

class SoakerSamples : public testing::TestWithParam<Sampled> {};

TEST_P(SoakerSamples, until_the_next_command) {
    RunningSoaker soaker;
    ASSERT_TRUE(soaker.acknowledges());
    soaker.slot().set_sampled(GetParam());
    soaker.slot().command(Mode::sample);
    ASSERT_TRUE(soaker.acknowledges());
    EXPECT_TRUE(eventually([&] { return soaker.slot().sample_count() >= Slot::few_samples; }));
    soaker.park();
    const auto& samples = soaker.slot().samples();
    const auto positive = std::count_if(samples.begin(), samples.begin() + Slot::few_samples,
                                        [](const auto& sample) { return sample.ticks > 0; });
    EXPECT_GT(positive, 0); // a coarse counter, an emulator's say, stands still in most of them
    const auto yardsticks =
        std::count_if(samples.begin(), samples.begin() + Slot::few_samples,
                      [](const auto& sample) { return sample.kind != ChunkKind::walk; });
    EXPECT_EQ(yardsticks, GetParam() == Sampled::warm ? 4 : 0);
}

INSTANTIATE_TEST_SUITE_P(all, SoakerSamples,
                         testing::Values(Sampled::warm, Sampled::cold, Sampled::evicted,
                                         Sampled::readings));

// Hot-plug: the CPU of the soaker is not there

constexpr int no_cpu = 1'000'000;

TEST(Soaker, on_a_foreign_cpu_is_displaced_and_does_not_soak) {
    RunningSoaker soaker({.cpu = no_cpu, .bind = [] {}});
    soaker.slot().command(Mode::soak, soaker.now());
    EXPECT_TRUE(soaker.acknowledges());
    EXPECT_TRUE(soaker.slot().displaced());
    EXPECT_EQ(soaker.slot().read(), Tally{});
    soaker.park();
}

TEST(Soaker, that_cannot_go_back_is_displaced) {
    bool first = true;
    RunningSoaker soaker({.cpu = no_cpu, .bind = [first]() mutable {
                              if (!std::exchange(first, false))
                                  throw std::system_error(EINVAL, std::system_category());
                          }});
    soaker.slot().command(Mode::soak, soaker.now());
    EXPECT_TRUE(soaker.acknowledges());
    EXPECT_TRUE(soaker.slot().displaced());
}

TEST(Soaker, goes_back_when_its_cpu_is_there_again) {
    const int home = base::usable_cpus().front(), elsewhere = base::usable_cpus().back();
    const auto online = std::make_shared<std::atomic<bool>>(false);
    RunningSoaker soaker(
        {.cpu = home, .bind = [=] { base::use_cpus({*online ? home : elsewhere}); }});
    soaker.slot().command(Mode::soak, soaker.now());
    EXPECT_TRUE(soaker.acknowledges());
    EXPECT_EQ(soaker.slot().displaced(), home != elsewhere);
    soaker.park();
    *online = true;
    soaker.soak();
    EXPECT_FALSE(soaker.slot().displaced());
    soaker.park();
}

} // namespace
} // namespace soak
