#include "demand/baseline.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace std::chrono_literals;
using demand::Baseline;
using demand::Bill;
using demand::make_bill;
using demand::make_task_bill;
using demand::Part;
using demand::Phase;
using demand::PhaseKind;

Phase soaked_phase(std::chrono::milliseconds elapsed, std::chrono::milliseconds tasks,
                   std::chrono::milliseconds stolen) {
    Phase phase;
    phase.kind = PhaseKind::soaked;
    phase.elapsed = elapsed;
    soak::CpuWindow window;
    window.elapsed = elapsed;
    window.causes.tasks = tasks;
    window.causes.interrupts = stolen - tasks;
    window.stolen = stolen;
    phase.soaked.push_back(window);
    return phase;
}

Phase free_phase(std::chrono::milliseconds elapsed, std::chrono::milliseconds idle) {
    Phase phase;
    phase.elapsed = elapsed;
    probes::CpuCounters cpu;
    cpu.idle = idle;
    phase.counters.cpus.push_back(cpu);
    return phase;
}

TEST(Baseline, other_losses_count_per_second_of_soaker_time) {
    // Idle: 10 of 1000 ms tasks, 99 of the remaining 990 ms other: 1 % and 10 %.
    const Baseline baseline({*make_bill(soaked_phase(1000ms, 10ms, 109ms))});
    // Under load 600 ms are left to the soaker by tasks; 60 of the 70 ms are baseline.
    const Bill load = *make_bill(soaked_phase(1000ms, 400ms, 470ms));
    EXPECT_NEAR(baseline.net(load), 0.470 - 0.010 - 0.060, 1e-12);
    EXPECT_NEAR(demand::total(baseline.expected(load)), 0.070, 1e-12);
}

TEST(Baseline, of_free_phases_is_busy_per_second) {
    const Baseline baseline(
        {*make_bill(free_phase(1000ms, 980ms)), *make_bill(free_phase(500ms, 480ms))});
    EXPECT_NEAR(baseline.net(*make_bill(free_phase(300ms, 200ms))), 0.1 - 0.3 * 0.04 / 1.5, 1e-12);
}

TEST(Baseline, is_by_cpu) {
    Phase idle = free_phase(1000ms, 900ms), load = free_phase(1000ms, 500ms);
    probes::CpuCounters second;
    second.cpu = 1;
    second.idle = 1000ms;
    idle.counters.cpus.push_back(second);
    load.counters.cpus.push_back(second);
    const Baseline baseline({*make_bill(idle)});
    const Bill bill = *make_bill(load);
    EXPECT_NEAR(demand::total(baseline.expected(bill), 0), 0.1, 1e-12);
    EXPECT_NEAR(demand::total(baseline.expected(bill), 1), 0.0, 1e-12);
}

TEST(Baseline, unknown_takes_nothing_off) {
    const Baseline baseline({});
    EXPECT_FALSE(baseline.known());
    EXPECT_DOUBLE_EQ(baseline.net(*make_bill(free_phase(300ms, 200ms))), 0.1);
    EXPECT_FALSE(baseline.error({}));
}

TEST(Baseline, error_follows_the_scatter_between_phases) {
    // Rates 0.1 and 0.3 over equal seconds: the mean 0.2 has the standard error 0.1; ten seconds
    // of load make it one second.
    const Baseline baseline(
        {*make_bill(free_phase(1000ms, 900ms)), *make_bill(free_phase(1000ms, 700ms))});
    const Bill load = *make_bill(free_phase(10'000ms, 0ms));
    EXPECT_NEAR(*baseline.error(load), 1.0, 1e-12);
    EXPECT_FALSE(Baseline({*make_bill(free_phase(1000ms, 900ms))}).error(load));
}

TEST(Baseline, error_does_not_take_cpus_of_one_phase_for_independent) {
    std::vector<Bill> bills;
    for (const auto idle : {900ms, 700ms}) {
        Phase phase = free_phase(1000ms, idle);
        phase.counters.cpus.push_back(phase.counters.cpus[0]);
        phase.counters.cpus[1].cpu = 1;
        bills.push_back(*make_bill(phase));
    }
    EXPECT_NEAR(*Baseline(bills).error(bills[0]), 0.2, 1e-12); // not 0.1 * sqrt(2)
}

TEST(Bill, is_absent_without_its_counters) {
    Phase phase = free_phase(300ms, 200ms);
    EXPECT_FALSE(make_task_bill(phase));
    phase.counters.cpus[0].task_time = 50ms;
    EXPECT_DOUBLE_EQ(demand::total(*make_task_bill(phase)), 0.05);
    phase.counters.cpus[0].idle.reset();
    EXPECT_FALSE(make_bill(phase));
    EXPECT_FALSE(make_bill(Phase{}));
}

TEST(Bill, of_tasks_leaves_out_the_rest) {
    const Phase phase = soaked_phase(1000ms, 400ms, 470ms);
    EXPECT_DOUBLE_EQ(demand::total(*make_task_bill(phase)), 0.4);
    EXPECT_DOUBLE_EQ(make_bill(phase)->at({0, Part::interrupts}).exposure, 0.6);
}

} // namespace
