#include "demand/apportion.h"
#include "tests/demand/sample.h"

#include <gmock/gmock.h>

namespace {

using namespace std::chrono_literals;
using demand::apportion;
using demand::Apportionment;
using demand::Measurement;
using demand::PhaseKind;
using demand::Stage;

MATCHER_P(HasId, id, "") { return arg.id == id; }

double units(const Apportionment& found, const std::string& unit) {
    double sum = 0;
    for (const auto& share : found.shares)
        if (share.units.contains(unit)) sum += share.units.at(unit);
    return sum;
}

base::Work rate_of(double bytes_per_second) {
    base::Work work;
    work.source = "tool";
    work.seconds = 1;
    work.bytes = bytes_per_second;
    work.complete = false;
    return work;
}

TEST(Apportion, a_total_by_the_counts_of_each_phase) {
    Measurement measurement = sample::Machine().measure(4);
    measurement.work = sample::work_of(measurement);
    const Apportionment found = apportion(measurement);
    EXPECT_EQ(found.unit, "transaction");
    EXPECT_EQ(found.proxy, "lo packets");
    ASSERT_EQ(found.shares.size(), 8u);
    for (const auto& share : found.shares)
        EXPECT_NEAR(share.units.at("transaction"), *share.packets / 2, 1e-6);
}

TEST(Apportion, leaves_to_the_gaps_what_moved_there) {
    Measurement measurement = sample::Machine().measure(4);
    measurement.work = sample::work_of(measurement);
    measurement.load.devices[0].rx_packets *= 2;
    EXPECT_NEAR(units(apportion(measurement), "transaction"), *measurement.work->transactions / 2,
                1e-6);
}

TEST(Apportion, bytes_by_bytes_and_packets_by_packets) {
    Measurement measurement = sample::Machine().measure(2);
    measurement.work = base::Work{.source = "tool",
                                  .seconds = {},
                                  .bytes = 1000,
                                  .packets = 10,
                                  .transactions = {},
                                  .units = {{"request", 50}}};
    auto& first = *std::find_if(measurement.phases.begin(), measurement.phases.end(),
                                [](const auto& phase) { return phase.stage == Stage::load; });
    first.counters.devices[0].rx_bytes = measurement.load.devices[0].rx_bytes / 2;
    first.counters.devices[0].rx_packets = measurement.load.devices[0].rx_packets / 5;
    const auto share = apportion(measurement).shares[0];
    EXPECT_NEAR(share.units.at("byte"), 500, 0.1);
    EXPECT_NEAR(share.units.at("packet"), 2, 0.001);
    EXPECT_NEAR(share.units.at("request"), 10, 0.005);
}

TEST(Apportion, a_rate_by_the_proxy_rate_while_the_load_ran) {
    sample::Truth truth{.soaked_packets = 40'000, .noise = 0}; // the same in both kinds
    Measurement measurement = sample::Machine(truth).measure(8);
    // The load ran from the third pair on: what moved before is its control connection.
    int load_phases = 0;
    for (auto& phase : measurement.phases) {
        if (phase.stage != Stage::load || ++load_phases > 4) continue;
        phase.counters.devices[0].rx_packets = 20;
        phase.counters.devices[0].rx_bytes = 20 * 1500;
    }
    measurement.work = rate_of(60e6); // which is what 40,000 packets of 1500 bytes are
    const Apportionment found = apportion(measurement);
    for (const auto& share : found.shares)
        EXPECT_NEAR(share.units.at("byte"), *share.bytes, *share.bytes * 1e-4);
}

TEST(Apportion, a_rate_does_not_feel_that_the_load_ends_within_a_pair) {
    sample::Truth truth{.soaked_packets = 40'000, .noise = 0};
    Measurement measurement = sample::Machine(truth).measure(8);
    for (auto& phase : measurement.phases)
        if (phase.stage == Stage::load && phase.pair == 7) phase.counters.devices[0].rx_bytes /= 2;
    measurement.work = rate_of(60e6);
    const auto share = apportion(measurement).shares[0];
    EXPECT_NEAR(share.units.at("byte"), *share.bytes, *share.bytes * 1e-4);
}

TEST(Apportion, half_a_pair_does_not_weigh_in_the_proxy_rate) {
    sample::Truth truth{.noise = 0};
    Measurement measurement = sample::Machine(truth).measure(8);
    measurement.work = rate_of(1e6);
    const double before = apportion(measurement).shares[0].units.at("byte");
    std::erase_if(measurement.phases, [](const auto& phase) { // thrown away: one of the third pair
        return phase.stage == Stage::load && phase.pair == 2 && phase.kind == PhaseKind::free;
    });
    EXPECT_NEAR(apportion(measurement).shares[0].units.at("byte"), before, before * 0.01);
}

TEST(Apportion, a_part_of_the_time_needs_to_say_of_which) {
    Measurement measurement = sample::Machine().measure(8);
    measurement.work = rate_of(60e6);
    measurement.work->seconds.reset();
    const Apportionment found = apportion(measurement);
    EXPECT_THAT(found.warnings, testing::Contains(HasId("partial-work")));
    EXPECT_EQ(found.work.source, "lo counters");
}

TEST(Apportion, what_the_tool_does_not_count_comes_from_the_device) {
    Measurement measurement = sample::Machine().measure(4);
    measurement.work = sample::work_of(measurement);
    const Apportionment found = apportion(measurement);
    EXPECT_EQ(found.sources.at("transaction"), "cyclesoak load");
    EXPECT_EQ(found.sources.at("packet"), "lo counters");
    EXPECT_FALSE(found.work.packets); // the tool did not say so
}

TEST(Apportion, without_a_benchmark_the_counters_are_the_work) {
    const Measurement measurement = sample::Machine().measure(4);
    const Apportionment found = apportion(measurement);
    EXPECT_EQ(found.work.source, "lo counters");
    EXPECT_EQ(found.unit, "packet");
    EXPECT_FALSE(found.work.transactions);
    EXPECT_DOUBLE_EQ(*found.work.packets,
                     static_cast<double>(measurement.load.devices[0].rx_packets));
    EXPECT_NEAR(units(found, "packet"), *found.work.packets, 1e-6);
}

TEST(Apportion, takes_the_device_the_user_names) {
    Measurement measurement = sample::Machine().measure(2);
    measurement.devices = {"eth0"};
    EXPECT_EQ(apportion(measurement).proxy, "eth0 packets");
    EXPECT_DOUBLE_EQ(*apportion(measurement).work.packets, 12);
    measurement.devices = {"eth0", "lo"};
    EXPECT_EQ(apportion(measurement).proxy, "eth0+lo packets");
    EXPECT_DOUBLE_EQ(*apportion(measurement).work.packets,
                     12 + static_cast<double>(measurement.load.devices[0].rx_packets));
}

TEST(Apportion, says_when_a_named_device_is_not_there) {
    Measurement measurement = sample::Machine().measure(2);
    measurement.devices = {"eth9"};
    const Apportionment found = apportion(measurement);
    EXPECT_THAT(found.warnings, testing::Contains(HasId("no-device")));
    EXPECT_TRUE(found.unit.empty());
}

TEST(Apportion, a_phase_without_the_device_has_no_units) {
    Measurement measurement = sample::Machine().measure(2);
    measurement.phases[7].counters.devices.clear();
    const Apportionment found = apportion(measurement);
    EXPECT_TRUE(found.shares[1].units.empty());
    EXPECT_FALSE(found.shares[1].packets);
    EXPECT_FALSE(found.shares[0].units.empty());
}

TEST(Apportion, both_ends_of_loopback_are_told) {
    Measurement measurement = sample::Machine().measure(2);
    EXPECT_THAT(apportion(measurement).warnings, testing::Contains(HasId("loopback-both-ends")));
    measurement.devices = {"eth0"};
    EXPECT_THAT(apportion(measurement).warnings,
                testing::Not(testing::Contains(HasId("loopback-both-ends"))));
}

TEST(Apportion, other_traffic_is_no_proxy) {
    // 1 GB over a Unix socket while a few packets of something else crossed lo.
    sample::Truth truth{.soaked_packets = 100, .free_packets = 100};
    Measurement measurement = sample::Machine(truth).measure(4);
    measurement.work = base::Work{.source = "tool",
                                  .seconds = 10,
                                  .bytes = 1e9,
                                  .packets = {},
                                  .transactions = {},
                                  .units = {}};
    const Apportionment found = apportion(measurement);
    EXPECT_THAT(found.warnings, testing::ElementsAre(HasId("no-work-counter")));
    EXPECT_TRUE(found.unit.empty());
    EXPECT_DOUBLE_EQ(*found.work.bytes, 1e9); // the work itself is still told
}

TEST(Apportion, phases_of_one_kind_share_by_time) {
    sample::Truth truth{.soaked_packets = 0, .free_packets = 0};
    Measurement measurement = sample::Machine(truth).measure_only(PhaseKind::soaked, 8);
    measurement.work = base::Work{.source = "tool",
                                  .seconds = 2,
                                  .bytes = 1e9,
                                  .packets = {},
                                  .transactions = {},
                                  .units = {}};
    const Apportionment found = apportion(measurement);
    EXPECT_EQ(found.proxy, "time");
    EXPECT_TRUE(found.warnings.empty());
    EXPECT_NEAR(units(found, "byte"), 1e9 * 0.300 / 0.320, 1e-3);

    measurement.work = rate_of(1000);
    EXPECT_NEAR(apportion(measurement).shares[0].units.at("byte"), 300, 1e-9);
}

TEST(Apportion, no_work_at_all_is_said) {
    sample::Truth truth{.soaked_packets = 0, .free_packets = 0};
    Measurement measurement = sample::Machine(truth).measure(4);
    measurement.load.devices.clear();
    EXPECT_THAT(apportion(measurement).warnings, testing::ElementsAre(HasId("no-work")));
}

} // namespace
