#include "demand/core_share.h"

#include <gtest/gtest.h>

namespace demand {
namespace {

TEST(CoreShare, of_undisturbed_windows_is_near_the_best_tenth) {
    EXPECT_EQ(least_undisturbed_share({}), 0);
    EXPECT_DOUBLE_EQ(least_undisturbed_share({1.0}), 0.98);
    EXPECT_DOUBLE_EQ(least_undisturbed_share({0.6, 1.0, 0.7, 0.6, 0.6, 0.8, 0.7, 0.7, 0.6, 0.6, 9}),
                     0.98);
}

bool told_of(uint64_t slow, uint64_t blocks, uint64_t stalls) {
    soak::CpuWindow window;
    window.stalls = stalls;
    window.throughput_blocks = blocks;
    window.contended_blocks = slow;
    return contended(window);
}

TEST(Contended, means_more_slow_blocks_than_one_in_a_hundred) {
    EXPECT_FALSE(told_of(0, 0, 0));
    EXPECT_FALSE(told_of(33, 3000, 0));
    EXPECT_TRUE(told_of(34, 3000, 0));
}

TEST(Contended, allows_for_one_after_every_seventh_stall) {
    EXPECT_FALSE(told_of(36, 3000, 20));
    EXPECT_TRUE(told_of(37, 3000, 20));
    // Of stalls without a block between them no more than there are blocks.
    EXPECT_FALSE(told_of(19, 100, 1000));
    EXPECT_TRUE(told_of(20, 100, 1000));
}

} // namespace
} // namespace demand
