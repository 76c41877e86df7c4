#include "loads/histogram.h"

#include <gtest/gtest.h>

namespace loads {
namespace {

TEST(Histogram, knows_nothing_while_empty) {
    const Histogram empty;
    EXPECT_EQ(empty.mean(), std::nullopt);
    EXPECT_EQ(empty.quantile(0.5), std::nullopt);
}

TEST(Histogram, small_values_are_exact) {
    Histogram histogram;
    for (int value = 1; value <= 100; ++value)
        histogram.add(Nanoseconds(value));
    EXPECT_EQ(histogram.count(), 100);
    EXPECT_EQ(*histogram.mean(), Nanoseconds(50));
    EXPECT_EQ(*histogram.quantile(0.5), Nanoseconds(50));
    EXPECT_EQ(*histogram.quantile(0.99), Nanoseconds(99));
    EXPECT_EQ(*histogram.quantile(0), Nanoseconds(1));
    EXPECT_EQ(*histogram.quantile(1), Nanoseconds(100));
}

TEST(Histogram, every_magnitude_is_true_within_a_percent) {
    for (int64_t value = 64; value < int64_t{1} << 39; value = value * 9 / 8 + 1) {
        Histogram histogram;
        histogram.add(Nanoseconds(value));
        EXPECT_NEAR(static_cast<double>(histogram.quantile(0.5)->count()),
                    static_cast<double>(value), static_cast<double>(value) * 0.01);
    }
}

TEST(Histogram, larger_values_never_come_out_smaller) {
    auto before = Nanoseconds(-1);
    for (int64_t value = 0; value < 100'000; ++value) {
        Histogram histogram;
        histogram.add(Nanoseconds(value));
        const auto now = *histogram.quantile(0.5);
        ASSERT_GE(now, before) << value;
        before = now;
    }
}

TEST(Histogram, last_bucket_takes_what_is_beyond) {
    Histogram histogram;
    histogram.add(std::chrono::hours(5));
    EXPECT_GT(*histogram.quantile(0.5), std::chrono::minutes(18));
    histogram.add(Nanoseconds(-5));
    EXPECT_EQ(*histogram.quantile(0.1), Nanoseconds(0));
}

TEST(Histogram, adds_up) {
    Histogram sum, other;
    sum.add(Nanoseconds(10));
    other.add(Nanoseconds(20));
    other.add(Nanoseconds(30));
    sum += other;
    EXPECT_EQ(sum.count(), 3);
    EXPECT_EQ(*sum.mean(), Nanoseconds(20));
    EXPECT_EQ(*sum.quantile(1), Nanoseconds(30));
}

} // namespace
} // namespace loads
