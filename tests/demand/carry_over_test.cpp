#include "demand/carry_over.h"

#include <gmock/gmock.h>

namespace demand {
namespace {

SampledSum close_block(const std::vector<double>& seconds, double window_seconds, double time) {
    CarryOver carry_over;
    for (const double one : seconds)
        carry_over.add(one, window_seconds);
    EXPECT_TRUE(carry_over.full());
    return carry_over.close(time);
}

TEST(CarryOver, a_block_is_full_with_ten_windows) {
    CarryOver carry_over;
    for (int i = 0; i < windows_per_block; ++i) {
        EXPECT_FALSE(carry_over.full());
        carry_over.add(0.001, 0.02);
    }
    EXPECT_TRUE(carry_over.full());
    carry_over.close(20);
    EXPECT_FALSE(carry_over.full());
}

TEST(CarryOver, what_is_always_the_same_is_known_exactly) {
    const auto sum = close_block(std::vector<double>(10, 0.001), 0.02, 20);
    EXPECT_NEAR(sum.seconds, 1.0, 1e-12);
    EXPECT_NEAR(sum.variance, 0, 1e-12);
}

TEST(CarryOver, is_the_ratio_estimator_of_the_textbook) {
    // Windows of 20 ms: five lost 1 ms, five lost 3 ms. Mean ratio 0.1; the sum of squared
    // deviations is 10 × (1 ms)², so the variance is 20² × 1e-5 / (10 × 9 × 0.02²).
    const auto sum = close_block(
        {0.001, 0.003, 0.001, 0.003, 0.001, 0.003, 0.001, 0.003, 0.001, 0.003}, 0.02, 20);
    EXPECT_NEAR(sum.seconds, 2.0, 1e-12);
    EXPECT_NEAR(sum.variance, 400 * 1e-5 / (90 * 4e-4), 1e-9);
}

TEST(CarryOver, windows_of_other_lengths_weigh_as_much_as_they_are_long) {
    CarryOver carry_over;
    for (int i = 0; i < 5; ++i) {
        carry_over.add(0.001, 0.01);
        carry_over.add(0.003, 0.03);
    }
    const auto sum = carry_over.close(10);
    EXPECT_NEAR(sum.seconds, 1.0, 1e-12);
    EXPECT_NEAR(sum.variance, 0, 1e-12);
}

TEST(CarryOver, may_be_negative_as_the_cause_may) {
    EXPECT_LT(close_block(std::vector<double>(10, -0.001), 0.02, 20).seconds, 0);
}

} // namespace
} // namespace demand
