#include "demand/carry_over.h"

#include <gmock/gmock.h>

namespace demand {
namespace {

using namespace std::chrono_literals;

using Block = std::vector<soak::CpuWindow>;

soak::CpuWindow window(Nanoseconds cache, Nanoseconds length = 20ms) {
    return {.elapsed = length, .causes = {.cache = cache}};
}

TEST(CarryOver, what_is_always_the_same_is_known_exactly) {
    const auto sum = carry_over(Block(10, window(1ms)), 20s);
    EXPECT_NEAR(sum.seconds, 1.0, 1e-12);
    EXPECT_NEAR(sum.variance, 0, 1e-12);
}

TEST(CarryOver, is_the_ratio_estimator_of_the_textbook) {
    // Windows of 20 ms: five lost 1 ms, five lost 3 ms. Mean ratio 0.1; the sum of squared
    // deviations is 10 × (1 ms)², so the variance is 20² × 1e-5 / (10 × 9 × 0.02²).
    Block block(5, window(1ms));
    block.resize(10, window(3ms));
    const auto sum = carry_over(block, 20s);
    EXPECT_NEAR(sum.seconds, 2.0, 1e-12);
    EXPECT_NEAR(sum.variance, 400 * 1e-5 / (90 * 4e-4), 1e-9);
}

TEST(CarryOver, windows_of_other_lengths_weigh_as_much_as_they_are_long) {
    Block block(5, window(1ms, 10ms));
    block.resize(10, window(3ms, 30ms));
    const auto sum = carry_over(block, 10s);
    EXPECT_NEAR(sum.seconds, 1.0, 1e-12);
    EXPECT_NEAR(sum.variance, 0, 1e-12);
}

TEST(CarryOver, may_be_negative_as_the_cause_may) {
    EXPECT_LT(carry_over(Block(10, window(-1ms)), 20s).seconds, 0);
}

} // namespace
} // namespace demand
