#include "demand/idle_time.h"
#include "demand/measurement.h"
#include "tests/demand/sample.h"

#include <gmock/gmock.h>

namespace {

using namespace std::chrono_literals;
using base::Nanoseconds;
using demand::Phase;
using demand::PhaseKind;

Phase phase(Nanoseconds elapsed, std::optional<Nanoseconds> busy,
            std::optional<Nanoseconds> tasks) {
    Phase made;
    made.elapsed = elapsed;
    probes::CpuCounters cpu{.cpu = 1};
    if (busy) cpu.idle = elapsed - *busy;
    cpu.task_time = tasks;
    made.counters.cpus.push_back(cpu);
    return made;
}

bool dropped(std::vector<Phase> phases) {
    const auto warning = demand::drop_contradicted_idle_time(phases);
    for (const Phase& made : phases)
        EXPECT_FALSE(warning && made.counters.cpus[0].idle);
    return warning.has_value();
}

TEST(IdleTime, is_dropped_where_threads_ran_for_longer_than_it_allows) {
    EXPECT_TRUE(dropped({phase(1s, 570ms, 591ms)}));
    EXPECT_FALSE(dropped({phase(1s, 570ms, 589ms)}));
}

TEST(IdleTime, may_leave_more_than_threads_used) {
    EXPECT_FALSE(dropped({phase(1s, 900ms, 200ms)}));
}

TEST(IdleTime, is_judged_over_all_free_phases) {
    // Steps of 10 ms even out.
    EXPECT_FALSE(dropped({phase(500ms, 100ms, 115ms), phase(500ms, 110ms, 97ms)}));
    EXPECT_TRUE(dropped({phase(500ms, 100ms, 115ms), phase(500ms, 100ms, 112ms)}));
    EXPECT_FALSE(dropped({phase(300ms, 100ms, 200ms)})); // too short to tell
}

TEST(IdleTime, is_not_judged_by_soaked_phases_or_without_a_scheduler) {
    auto soaked = phase(2s, 100ms, 1900ms);
    soaked.kind = PhaseKind::soaked;
    EXPECT_FALSE(dropped({soaked}));
    EXPECT_FALSE(dropped({phase(2s, 100ms, std::nullopt)}));
    EXPECT_FALSE(dropped({phase(2s, std::nullopt, 1s)}));
}

TEST(IdleTime, that_is_inexact_leaves_a_report_with_soaked_figures_and_the_reason) {
    auto measurement = sample::Machine().measure(12);
    measurement.work = sample::work_of(measurement);
    for (Phase& made : measurement.phases)
        for (auto& cpu : made.counters.cpus)
            if (made.kind == PhaseKind::free) cpu.task_time = made.elapsed * 9 / 10;
    const auto report = demand::make_report(measurement);
    bool soaked = false;
    for (const auto& demand : report.demands) {
        EXPECT_NE(demand.method, demand::Method::idle_time);
        soaked |= demand.method == demand::Method::soaked;
    }
    EXPECT_TRUE(soaked);
    EXPECT_TRUE(std::ranges::any_of(report.warnings, [](const base::Warning& warning) {
        return warning.id == "idle-time-inexact";
    }));
}

} // namespace
