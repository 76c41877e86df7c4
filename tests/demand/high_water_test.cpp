#include "demand/high_water.h"

#include <gmock/gmock.h>

namespace {

using namespace std::chrono_literals;
using demand::CpuTotals;
using demand::HighWater;
using demand::Totals;

/// A CPU of which everything that can fall is `signed_sum`.
CpuTotals cpu(int number, base::Nanoseconds accounted, base::Nanoseconds signed_sum) {
    CpuTotals totals{.cpu = number, .accounted = accounted, .busy = accounted / 10};
    totals.windows = {.cpu = number, .elapsed = accounted / 100};
    auto& windows = totals.windows;
    windows.soaked = windows.own = windows.stolen = signed_sum;
    windows.causes = {.tasks = signed_sum,
                      .interrupts = signed_sum,
                      .hypervisor = signed_sum,
                      .core = signed_sum,
                      .cache = signed_sum,
                      .unexplained = signed_sum};
    totals.cache = {.seconds = base::to_seconds(signed_sum), .variance = 1};
    return totals;
}

Totals raised(HighWater& water, std::vector<CpuTotals> cpus) {
    Totals totals{.cpus = std::move(cpus)};
    water.raise(totals);
    return totals;
}

void expect_all(const CpuTotals& cpu, base::Nanoseconds value) {
    const auto& windows = cpu.windows;
    const auto& causes = windows.causes;
    for (const auto time :
         {windows.soaked, windows.own, windows.stolen, causes.tasks, causes.interrupts,
          causes.hypervisor.value_or(-1h), causes.core, causes.cache, causes.unexplained})
        EXPECT_EQ(time, value);
    EXPECT_EQ(cpu.cache.seconds, base::to_seconds(value));
}

TEST(HighWater, holds_what_falls_and_follows_what_rises) {
    HighWater water;
    expect_all(raised(water, {cpu(0, 1s, 10ms)}).cpus[0], 10ms);
    expect_all(raised(water, {cpu(0, 2s, 7ms)}).cpus[0], 10ms);
    expect_all(raised(water, {cpu(0, 3s, 9ms)}).cpus[0], 10ms);
    expect_all(raised(water, {cpu(0, 4s, 11ms)}).cpus[0], 11ms);
}

TEST(HighWater, holds_busy_time_that_falls_by_a_step_of_idle_time) {
    HighWater water;
    auto before = cpu(0, 1s, 0ms), after = cpu(0, 2s, 0ms);
    before.busy = 500ms;
    after.busy = 490ms;
    raised(water, {before});
    EXPECT_EQ(raised(water, {after}).cpus[0].busy, 500ms);
}

TEST(HighWater, begins_at_zero) {
    HighWater water;
    expect_all(raised(water, {cpu(0, 1s, -10ms)}).cpus[0], 0ms);
    expect_all(raised(water, {cpu(0, 2s, -7ms)}).cpus[0], 0ms);
}

TEST(HighWater, is_of_each_cpu) {
    HighWater water;
    raised(water, {cpu(0, 1s, 10ms), cpu(1, 1s, 20ms)});
    const auto totals = raised(water, {cpu(0, 2s, 5ms), cpu(1, 2s, 25ms)});
    expect_all(totals.cpus[0], 10ms);
    expect_all(totals.cpus[1], 25ms);
}

TEST(HighWater, leaves_alone_what_does_not_fall) {
    HighWater water;
    raised(water, {cpu(0, 1s, 10ms)});
    const auto now = raised(water, {cpu(0, 2s, 5ms)}).cpus[0];
    EXPECT_EQ(now.accounted, 2s);
    EXPECT_EQ(now.busy, 200ms);
    EXPECT_EQ(now.windows.elapsed, 20ms);
}

TEST(HighWater, does_not_know_what_was_never_known) {
    HighWater water;
    auto without = cpu(0, 1s, 10ms);
    without.windows.causes.hypervisor.reset();
    without.busy.reset();
    const auto now = raised(water, {without});
    EXPECT_FALSE(now.cpus[0].windows.causes.hypervisor);
    EXPECT_FALSE(now.cpus[0].busy);
    EXPECT_FALSE(demand::sum_of_cpus(now).busy);
}

TEST(HighWater, sums_do_not_fall_when_a_cpu_goes_or_begins_anew) {
    HighWater water;
    const auto sum = [&](std::vector<CpuTotals> cpus) {
        return demand::sum_of_cpus(raised(water, std::move(cpus)));
    };
    EXPECT_EQ(sum({cpu(0, 10s, 10ms), cpu(1, 10s, 20ms)}).accounted, 20s);
    const auto alone = sum({cpu(0, 11s, 10ms)});
    EXPECT_EQ(alone.accounted, 21s);
    EXPECT_EQ(alone.busy, 2100ms);
    expect_all(alone, 30ms);
    EXPECT_EQ(alone.cache.variance, 2);
    EXPECT_EQ(sum({cpu(0, 12s, 10ms), cpu(1, 1s, 1ms)}).accounted, 23s);
    // Gone and back between two readings.
    const auto anew = sum({cpu(0, 13s, 10ms), cpu(1, 500ms, 0ms)});
    EXPECT_EQ(anew.accounted, 24500ms);
    expect_all(anew, 31ms);
}

} // namespace
