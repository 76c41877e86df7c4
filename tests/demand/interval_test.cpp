#include "demand/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using demand::estimate_ratio;
using demand::Row;

TEST(Interval, of_equal_units_is_students) {
    // With equal units the jackknife is the textbook interval of a mean: 3.5 +- t(5) * s / sqrt(6).
    std::vector<Row> rows;
    for (const double cost : {1, 6, 2, 5, 3, 4})
        rows.push_back({.a = cost, .b = 1});
    const auto found = estimate_ratio(rows);
    ASSERT_TRUE(found && found->estimate.low);
    const double half = 2.5705818 * std::sqrt(3.5 / 6);
    EXPECT_DOUBLE_EQ(found->estimate.value, 3.5);
    EXPECT_NEAR(*found->estimate.low, 3.5 - half, 1e-6);
    EXPECT_NEAR(*found->estimate.high, 3.5 + half, 1e-6);
    EXPECT_EQ(found->rows, 6);
    EXPECT_EQ(found->blocks, 6);
}

TEST(Interval, is_of_the_ratio_of_sums_not_of_the_mean_ratio) {
    const std::vector<Row> rows{{.a = 10, .b = 1}, {.a = 10, .b = 9}};
    EXPECT_DOUBLE_EQ(estimate_ratio(rows)->estimate.value, 2);
}

TEST(Interval, of_a_ratio_of_ratios) {
    const std::vector<Row> rows{{.a = 1, .b = 2, .c = 3, .d = 4}, {.a = 3, .b = 2, .c = 1, .d = 2}};
    EXPECT_DOUBLE_EQ(estimate_ratio(rows)->estimate.value, (4.0 / 4) / (4.0 / 6));
}

TEST(Interval, takes_six_rows) {
    std::vector<Row> rows(5, {.a = 1, .b = 1});
    EXPECT_FALSE(estimate_ratio(rows)->estimate.low);
    rows.push_back({.a = 2, .b = 1});
    EXPECT_TRUE(estimate_ratio(rows)->estimate.low);
}

TEST(Interval, without_units_there_is_no_ratio) {
    EXPECT_FALSE(estimate_ratio({}));
    EXPECT_FALSE(estimate_ratio(std::vector<Row>(8, {.a = 1, .b = 0})));
    EXPECT_FALSE(estimate_ratio(std::vector<Row>(8, {.a = 1, .b = 1, .c = 0})));
}

TEST(Interval, that_hangs_on_one_row_is_absent) {
    std::vector<Row> rows(8, {.a = 1, .b = 0});
    rows[3].b = 5;
    const auto found = estimate_ratio(rows);
    ASSERT_TRUE(found);
    EXPECT_DOUBLE_EQ(found->estimate.value, 8.0 / 5);
    EXPECT_FALSE(found->estimate.low);
}

TEST(Interval, merges_neighbours_that_correlate) {
    std::vector<Row> rows;
    for (int i = 0; i < 24; ++i)
        rows.push_back({.a = i / 4 % 2 ? 1.2 : 0.8, .b = 1});
    const auto found = estimate_ratio(rows);
    EXPECT_LT(found->blocks, 24);
    EXPECT_GE(found->blocks, 6);

    std::vector<Row> alternating;
    for (int i = 0; i < 24; ++i)
        alternating.push_back({.a = i % 2 ? 1.2 : 0.8, .b = 1});
    EXPECT_EQ(estimate_ratio(alternating)->blocks, 24);
}

TEST(Interval, says_when_merging_was_not_enough) {
    std::vector<Row> drift;
    for (int i = 0; i < 11; ++i)
        drift.push_back({.a = i < 5 ? 1.0 : 2.0, .b = 1});
    const auto found = estimate_ratio(drift);
    EXPECT_EQ(found->blocks, 11); // blocks of two would be too few
    EXPECT_TRUE(found->correlated);
}

TEST(Interval, rows_left_over_join_the_last_block) {
    std::vector<Row> rows;
    for (int i = 0; i < 13; ++i)
        rows.push_back({.a = i < 6 ? 1.0 : 2.0, .b = 1});
    const auto found = estimate_ratio(rows);
    EXPECT_EQ(found->blocks, 6);
    EXPECT_DOUBLE_EQ(found->estimate.value, 20.0 / 13);
}

TEST(Interval, other_variance_widens_it) {
    std::vector<Row> rows;
    for (const double cost : {1, 6, 2, 5, 3, 4})
        rows.push_back({.a = cost, .b = 1});
    const double alone = *estimate_ratio(rows)->estimate.high - 3.5;
    const auto both = estimate_ratio(rows, {{.value = 3.5 / 6, .freedom = 5}});
    // Equal variances of 5 degrees each: twice the variance, ten degrees of freedom.
    EXPECT_NEAR(*both->estimate.high - 3.5, 2.2281389 * std::sqrt(2 * 3.5 / 6), 1e-6);
    EXPECT_GT(*both->estimate.high - 3.5, alone);
}

TEST(Interval, of_rows_without_scatter_is_a_point) {
    const auto found = estimate_ratio(std::vector<Row>(8, {.a = 1, .b = 2}));
    EXPECT_DOUBLE_EQ(*found->estimate.low, 0.5);
    EXPECT_DOUBLE_EQ(*found->estimate.high, 0.5);
}

TEST(Interval, holds_the_truth_in_about_95_of_100_cases) {
    std::mt19937 random; // NOLINT: the same sequence each time is wanted
    const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
    int held = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        std::vector<Row> rows;
        for (int i = 0; i < 15; ++i) {
            const double units = 0.5 + uniform();
            rows.push_back({.a = 3 * units + uniform() - 0.5, .b = units});
        }
        const auto found = estimate_ratio(rows);
        held += *found->estimate.low <= 3 && 3 <= *found->estimate.high;
    }
    EXPECT_NEAR(held / 2000.0, 0.95, 0.015);
}

} // namespace
