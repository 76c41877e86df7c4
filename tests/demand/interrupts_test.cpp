#include "demand/interrupts.h"
#include "demand/measurement.h"
#include "tests/demand/sample.h"

#include <gmock/gmock.h>

namespace {

using namespace std::chrono_literals;
using base::Nanoseconds;
using demand::Phase;
using demand::PhaseKind;

/// 100 ms of stalls without another thread.
Phase phase(Nanoseconds clock_stopped, std::optional<Nanoseconds> steal) {
    Phase made;
    made.kind = PhaseKind::soaked;
    soak::CpuWindow window{
        .cpu = 2, .elapsed = 1s, .stolen = 150ms, .clock_stopped = clock_stopped};
    window.causes = {.tasks = 50ms, .interrupts = 100ms};
    made.soaked.push_back(window);
    made.counters.cpus.push_back({.cpu = 2, .steal = steal});
    return made;
}

soak::Causes causes_of(Phase made) {
    std::vector<Phase> phases{std::move(made)};
    demand::tell_interrupts_apart(phases);
    return phases[0].soaked[0].causes;
}

TEST(TellInterruptsApart, takes_what_the_clock_stood_still_for_interrupts) {
    const auto causes = causes_of(phase(30ms, 0ms));
    EXPECT_EQ(causes.interrupts, 30ms);
    EXPECT_EQ(causes.hypervisor, 70ms);
    EXPECT_EQ(causes.tasks, 50ms);
}

TEST(TellInterruptsApart, leaves_admitted_steal_with_the_hypervisor) {
    const auto causes = causes_of(phase(60ms, 20ms));
    EXPECT_EQ(causes.interrupts, 40ms);
    EXPECT_EQ(causes.hypervisor, 60ms);
}

TEST(TellInterruptsApart, needs_a_clock_that_stops) {
    EXPECT_FALSE(causes_of(phase(1ms, 0ms)).hypervisor);
    EXPECT_FALSE(causes_of(phase(-8ms, 0ms)).hypervisor);
    EXPECT_TRUE(causes_of(phase(5ms, 0ms)).hypervisor);
}

TEST(TellInterruptsApart, does_not_take_steal_for_interrupts) {
    EXPECT_FALSE(causes_of(phase(60ms, 50ms)).hypervisor);
    EXPECT_FALSE(causes_of(phase(60ms, std::nullopt)).hypervisor);
    EXPECT_EQ(causes_of(phase(60ms, 50ms)).interrupts, 100ms);
}

TEST(TellInterruptsApart, decides_for_all_phases_alike) {
    std::vector<Phase> phases{phase(1ms, 0ms), phase(40ms, 10ms), Phase{}};
    demand::tell_interrupts_apart(phases);
    EXPECT_EQ(phases[0].soaked[0].causes.interrupts, 1ms);
    EXPECT_EQ(phases[1].soaked[0].causes.interrupts, 30ms);
    EXPECT_EQ(phases[1].soaked[0].causes.hypervisor, 70ms);
}

TEST(TellInterruptsApart, is_in_the_report_and_leaves_its_sums_as_they_were) {
    auto measurement = sample::Machine().measure(12);
    measurement.work = sample::work_of(measurement);
    const auto before = demand::make_report(measurement);
    for (Phase& made : measurement.phases)
        for (soak::CpuWindow& window : made.soaked)
            window.clock_stopped = window.causes.interrupts / 2;
    const auto after = demand::make_report(measurement);
    const auto warned = [](const demand::Report& report) {
        return std::ranges::any_of(report.warnings, [](const base::Warning& warning) {
            return warning.id == "hypervisor-in-interrupts";
        });
    };
    EXPECT_TRUE(warned(before));
    EXPECT_FALSE(warned(after));
    const auto &a = *before.cpus[0].soaked, &b = *after.cpus[0].soaked;
    EXPECT_EQ(a.stolen, b.stolen);
    EXPECT_EQ(a.causes.interrupts, b.causes.interrupts + b.causes.hypervisor.value());
    ASSERT_EQ(before.demands.size(), after.demands.size());
    for (size_t i = 0; i < before.demands.size(); ++i)
        EXPECT_NEAR(before.demands[i].seconds_per_unit.value,
                    after.demands[i].seconds_per_unit.value, 1e-15);
}

} // namespace
