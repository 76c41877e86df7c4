#include "soak/record_ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

namespace soak {
namespace {

constexpr size_t capacity = RecordRing::capacity;

class Ring : public testing::Test {
  protected:
    std::string take() {
        std::string taken;
        ring_->take(taken);
        return taken;
    }
    /// So that the next append begins `bytes` before the memory's end.
    void advance_to_end_but(size_t bytes) {
        EXPECT_TRUE(ring_->append(std::string(capacity - bytes, '.')));
        take();
    }

    std::unique_ptr<RecordRing> ring_ = std::make_unique<RecordRing>();
};

TEST_F(Ring, gives_what_was_appended_once) {
    EXPECT_EQ(take(), "");
    EXPECT_TRUE(ring_->append("one "));
    EXPECT_TRUE(ring_->append('2'));
    EXPECT_EQ(take(), "one 2");
    EXPECT_EQ(take(), "");
}

TEST_F(Ring, adds_to_what_the_taker_has) {
    ring_->append("b");
    std::string text = "a";
    ring_->take(text);
    EXPECT_EQ(text, "ab");
}

TEST_F(Ring, goes_round) {
    advance_to_end_but(3);
    EXPECT_TRUE(ring_->append("abcdef"));
    EXPECT_EQ(take(), "abcdef");
    advance_to_end_but(3);
    for (const char c : std::string("uvwxyz"))
        EXPECT_TRUE(ring_->append(c));
    EXPECT_EQ(take(), "uvwxyz");
}

TEST_F(Ring, that_is_full_takes_nothing_and_changes_nothing) {
    std::string text(capacity - 2, 'x');
    EXPECT_TRUE(ring_->append(text));
    EXPECT_FALSE(ring_->append("abc"));
    EXPECT_TRUE(ring_->append("ab"));
    EXPECT_FALSE(ring_->append('c'));
    text += "ab";
    EXPECT_TRUE(take() == text);
    EXPECT_TRUE(ring_->append('d'));
    EXPECT_EQ(take(), "d");
}

TEST_F(Ring, knows_when_there_is_room_again) {
    EXPECT_TRUE(ring_->half_empty());
    ring_->append(std::string(capacity / 2, 'x'));
    EXPECT_TRUE(ring_->half_empty());
    ring_->append('x');
    EXPECT_FALSE(ring_->half_empty());
    take();
    EXPECT_TRUE(ring_->half_empty());
}

TEST_F(Ring, counts_what_was_lost) {
    EXPECT_EQ(ring_->lost_bytes(), 0u);
    ring_->add_lost(3);
    ring_->add_lost(4);
    EXPECT_EQ(ring_->lost_bytes(), 7u);
}

TEST_F(Ring, is_not_wanted_until_somebody_says_so) {
    EXPECT_FALSE(ring_->wanted());
    ring_->set_wanted(true);
    EXPECT_TRUE(ring_->wanted());
}

TEST_F(Ring, loses_nothing_between_two_threads) {
    constexpr int count = 3'000'000;
    std::thread soaker([&] {
        for (int i = 0; i < count; ++i)
            while (!(i % 5 == 0 ? ring_->append(std::string(3, static_cast<char>(i)))
                                : ring_->append(static_cast<char>(i))))
                std::this_thread::yield();
    });
    std::string taken;
    while (taken.size() < count / 5 * 3 + count / 5 * 4)
        ring_->take(taken);
    soaker.join();
    size_t at = 0;
    int wrong = 0;
    for (int i = 0; i < count; ++i)
        for (int copies = i % 5 == 0 ? 3 : 1; copies > 0; --copies)
            wrong += taken[at++] != static_cast<char>(i);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(at, taken.size());
}

} // namespace
} // namespace soak
