#include "demand/conversions.h"

#include <gtest/gtest.h>

namespace {

constexpr double us = 1e-6, ns = 1e-9;

double kb_demand(double utilisation, double kb_per_second, int cpus) {
    return demand::service_demand(utilisation, kb_per_second, cpus);
}

// Known values: netperf's manual, the kernel's network list, arithmetic on line rates.

TEST(Conversions, service_demand_of_transactions_as_in_netperfs_manual) {
    EXPECT_NEAR(demand::service_demand(0.1390, 15262.48, 2), 18.215 * us, 0.0005 * us);
    EXPECT_NEAR(demand::service_demand(0.1611, 15262.48, 2), 21.110 * us, 0.001 * us);
}

TEST(Conversions, service_demand_of_streams) {
    const double kb_per_second = 939.7e6 / 8 / demand::bytes_per_kb;
    EXPECT_NEAR(kb_demand(0.0367, kb_per_second, 8), 2.56 * us, 0.005 * us);
    EXPECT_NEAR(kb_demand(0.0509, kb_per_second, 8), 3.55 * us, 0.005 * us);
    EXPECT_NEAR(kb_demand(0.096, 11.5 * 1024, 2), 16.3 * us, 0.05 * us);
}

TEST(Conversions, demand_per_kb_and_per_datagram_are_the_same_bill) {
    EXPECT_NEAR(39.918 * us / demand::bytes_per_kb * 64, 2.49 * us, 0.005 * us);
}

TEST(Conversions, the_costlier_b_has_a_positive_difference) {
    EXPECT_NEAR(demand::cost_difference(1'562'539, 1'532'299), 12.63 * ns, 0.005 * ns);
    EXPECT_NEAR(demand::cost_difference(1'562'539, 1'548'352), 5.86 * ns, 0.005 * ns);
    EXPECT_LT(demand::cost_difference(1'532'299, 1'562'539), 0);
}

TEST(Conversions, round_trips) {
    EXPECT_NEAR(demand::seconds_per_unit(37'000), 27 * us, 0.5 * us);
    EXPECT_NEAR(demand::seconds_per_unit(70'000), 14 * us, 0.5 * us);
    const double saved_bytes = 13 * us * 10e9 / 8;
    EXPECT_NEAR(saved_bytes, 16'250, 1);
    EXPECT_NEAR(-demand::cost_difference(37'000, 70'000), 13 * us, 0.5 * us);
}

TEST(Conversions, budgets_at_line_rate) {
    EXPECT_NEAR(demand::frame_budget(64, 10e9), 67.2 * ns, 0.001 * ns);
    EXPECT_NEAR(1 / demand::frame_budget(64, 10e9), 14.88e6, 0.005e6);
    EXPECT_NEAR(demand::frame_budget(1518, 10e9), 1230.4 * ns, 0.001 * ns);
    EXPECT_NEAR(1 / demand::frame_budget(1518, 10e9), 812'744, 0.5);
}

} // namespace
