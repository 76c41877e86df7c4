#include "demand/measurement.h"
#include "tests/demand/sample.h"

#include <gmock/gmock.h>

namespace {

using namespace std::chrono_literals;
using demand::Demand;
using demand::make_report;
using demand::Measurement;
using demand::Method;
using demand::PhaseKind;
using demand::Report;
using demand::Stage;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

MATCHER_P(HasId, id, "") { return arg.id == id; }

std::optional<Demand> find(const Report& report, const std::string& unit, Method method) {
    for (const Demand& demand : report.demands)
        if (demand.unit == unit && demand.method == method) return demand;
    return {};
}

void expect_holds(const std::optional<Demand>& demand, double truth) {
    ASSERT_TRUE(demand && demand->seconds_per_unit.low);
    EXPECT_LE(*demand->seconds_per_unit.low, truth);
    EXPECT_GE(*demand->seconds_per_unit.high, truth);
    EXPECT_NEAR(demand->seconds_per_unit.value, truth, truth * 0.03);
}

TEST(Report, finds_the_true_demands) {
    Measurement measurement = sample::Machine().measure(12);
    measurement.work = sample::work_of(measurement);
    const Report report = make_report(measurement);
    // Two CPUs; a transaction is two packets.
    expect_holds(find(report, "packet", Method::soaked), 2 * 0.50 / 10'000);
    expect_holds(find(report, "transaction", Method::soaked), 2 * 0.50 / 5'000);
    expect_holds(find(report, "packet", Method::idle_time), 2 * 0.40 / 40'000);
    expect_holds(find(report, "transaction", Method::idle_time), 2 * 0.40 / 20'000);
    EXPECT_EQ(find(report, "packet", Method::soaked)->pairs, 12);
    EXPECT_EQ(find(report, "packet", Method::soaked)->source, "lo counters");
}

TEST(Report, finds_the_true_perturbation) {
    Measurement measurement = sample::Machine().measure(12);
    measurement.work = sample::work_of(measurement);
    const Report report = make_report(measurement);
    ASSERT_TRUE(report.perturbation);
    const auto& found = *report.perturbation;
    EXPECT_EQ(found.unit, "transaction");
    EXPECT_NEAR(found.rate_ratio.value, 0.25, 0.01);
    EXPECT_LT(*found.rate_ratio.low, 0.25);
    EXPECT_GT(*found.rate_ratio.high, 0.25);
    ASSERT_TRUE(found.cpu_per_unit_ratio);
    EXPECT_NEAR(found.cpu_per_unit_ratio->value, (0.30 / 10) / (0.35 / 40), 0.2);
    EXPECT_LT(*found.cpu_per_unit_ratio->low, (0.30 / 10) / (0.35 / 40));
    EXPECT_GT(*found.cpu_per_unit_ratio->high, (0.30 / 10) / (0.35 / 40));
    // One interrupt per packet on each CPU, of the other kind each time.
    EXPECT_EQ(found.interrupt_unit, "transaction");
    EXPECT_NEAR(*found.soaked.reschedule, 4, 0.2);
    EXPECT_NEAR(*found.free.reschedule, 0, 1e-9);
    EXPECT_NEAR(*found.free.function_call, 4, 0.2);
    EXPECT_NEAR(found.soaked_carry_over_ratio->value, 1, 0.05);
    EXPECT_THAT(report.warnings, Contains(HasId("perturbed")));
    EXPECT_THAT(report.warnings, Not(Contains(HasId("carry-over"))));
}

TEST(Report, a_load_that_is_not_changed_is_not_called_perturbed) {
    sample::Truth truth{.free_tasks = 0.30, .soaked_packets = 40'000};
    const Report report = make_report(sample::Machine(truth).measure(12));
    EXPECT_NEAR(report.perturbation->rate_ratio.value, 1, 0.03);
    EXPECT_THAT(report.warnings, Not(Contains(HasId("perturbed"))));
}

TEST(Report, a_slow_first_quarter_is_carry_over) {
    Measurement measurement = sample::Machine().measure(8);
    for (auto& phase : measurement.phases)
        phase.first_quarter->devices[0].rx_packets /= 2;
    const Report report = make_report(measurement);
    // Half of a quarter against seven eighths of it over three quarters of the time.
    EXPECT_NEAR(report.perturbation->free_carry_over_ratio->value, 0.5 / (3.5 / 3), 0.03);
    EXPECT_THAT(report.warnings, Contains(HasId("carry-over")));
}

TEST(Report, net_figures_of_phases_and_of_cpus_are_the_same_sum) {
    const Report report = make_report(sample::Machine().measure(8));
    double phases = 0, cpus = 0;
    for (const auto& phase : report.phases)
        if (phase.kind == PhaseKind::soaked) phases += *phase.net_seconds;
    for (const auto& cpu : report.cpus)
        cpus += base::to_seconds(cpu.soaked->stolen - *cpu.baseline);
    EXPECT_NEAR(phases, cpus, 1e-8);

    double free_phases = 0, free_cpus = 0;
    for (const auto& phase : report.phases)
        if (phase.kind == PhaseKind::free) free_phases += *phase.net_seconds;
    for (const auto& cpu : report.cpus)
        free_cpus += base::to_seconds(*cpu.idle_time_busy - *cpu.idle_time_baseline);
    EXPECT_NEAR(free_phases, free_cpus, 1e-8);
}

TEST(Report, causes_add_up) {
    const Report report = make_report(sample::Machine().measure(8));
    ASSERT_EQ(report.cpus.size(), 2u);
    for (const auto& cpu : report.cpus) {
        const auto& causes = cpu.soaked->causes;
        EXPECT_EQ(causes.tasks + causes.interrupts + causes.core + causes.cache +
                      causes.unexplained,
                  cpu.soaked->stolen);
        EXPECT_FALSE(causes.hypervisor);
    }
}

TEST(Report, without_idle_time_there_is_no_idle_time_demand) {
    Measurement measurement = sample::Machine().measure(8);
    for (auto& phase : measurement.phases)
        for (auto& cpu : phase.counters.cpus)
            cpu.idle.reset();
    measurement.warnings.push_back({.id = "no-idle-time", .text = "nohz=off"});
    const Report report = make_report(measurement);
    EXPECT_FALSE(find(report, "packet", Method::idle_time));
    EXPECT_TRUE(find(report, "packet", Method::soaked));
    EXPECT_FALSE(report.cpus[0].idle_time_busy);
    EXPECT_EQ(std::count_if(report.warnings.begin(), report.warnings.end(),
                            [](const auto& warning) { return warning.id == "no-idle-time"; }),
              1); // the reason that was passed in
}

TEST(Report, without_task_time_all_that_is_busy_stands_for_it) {
    Measurement measurement = sample::Machine().measure(8);
    for (auto& phase : measurement.phases)
        for (auto& cpu : phase.counters.cpus)
            cpu.task_time.reset();
    const Report report = make_report(measurement);
    EXPECT_NEAR(report.perturbation->cpu_per_unit_ratio->value, (0.30 / 10) / (0.40 / 40), 0.2);
    EXPECT_THAT(report.warnings, Contains(HasId("no-task-time")));
}

TEST(Report, without_a_baseline_the_figures_are_gross_and_it_says_so) {
    const Report report = make_report(sample::Machine().measure(8, 0));
    EXPECT_THAT(report.warnings, Contains(HasId("no-baseline")));
    EXPECT_TRUE(report.baselines.empty());
    EXPECT_FALSE(report.cpus[0].baseline);
    EXPECT_FALSE(report.cpus[0].idle_time_baseline);
    EXPECT_NEAR(find(report, "packet", Method::idle_time)->seconds_per_unit.value,
                2 * 0.42 / 40'000, 1e-6);
}

TEST(Report, few_pairs_give_no_interval) {
    const Report report = make_report(sample::Machine().measure(5));
    EXPECT_FALSE(find(report, "packet", Method::soaked)->seconds_per_unit.low);
    EXPECT_THAT(report.warnings, Contains(HasId("few-pairs")));
}

TEST(Report, a_noisy_baseline_widens_the_interval) {
    const auto width = [](const Report& report) {
        const auto estimate = find(report, "packet", Method::soaked)->seconds_per_unit;
        return *estimate.high - *estimate.low;
    };
    Measurement measurement = sample::Machine().measure(8);
    const double quiet = width(make_report(measurement));
    for (auto& phase : measurement.phases)
        if (phase.stage == Stage::baseline_after)
            for (auto& window : phase.soaked) {
                window.causes.interrupts += 60ms;
                window.stolen += 60ms;
            }
    EXPECT_GT(width(make_report(measurement)), 2 * quiet);
}

TEST(Report, a_cost_that_is_all_noise_keeps_its_sign_and_is_marked) {
    sample::Truth truth{.soaked_tasks = -0.0001, .soaked_other = 0, .free_busy = 0, .noise = 0.1};
    const Report report = make_report(sample::Machine(truth).measure(8));
    EXPECT_THAT(report.warnings, Contains(HasId("below-noise")));
    const auto estimate = find(report, "packet", Method::soaked)->seconds_per_unit;
    EXPECT_LT(*estimate.low, 0);
}

TEST(Report, a_machine_that_is_busy_without_the_load_is_told_of) {
    const sample::Truth quiet, busy{.baseline_busy = 0.4}, soaked{.baseline_other = 0.4};
    const auto warnings = [](const Measurement& taken) { return make_report(taken).warnings; };
    EXPECT_THAT(warnings(sample::Machine(quiet).measure(6)), Not(Contains(HasId("busy-machine"))));
    EXPECT_THAT(warnings(sample::Machine(busy).measure(6)), Contains(HasId("busy-machine")));
    EXPECT_THAT(warnings(sample::Machine(soaked).measure_only(PhaseKind::soaked, 6)),
                Contains(HasId("busy-machine")));
}

TEST(Report, a_stranger_on_the_core_is_told_of) {
    Measurement taken = sample::Machine().measure(6);
    EXPECT_THAT(make_report(taken).warnings, Not(Contains(HasId("contended-core"))));
    for (auto& phase : taken.phases)
        if (phase.kind == PhaseKind::soaked)
            phase.soaked.at(1).contended_blocks = phase.stage == Stage::load ? 4500 : 2000;
    EXPECT_THAT(make_report(taken).warnings,
                Contains(AllOf(HasId("contended-core"),
                               Field(&base::Warning::text,
                                     HasSubstr("CPU 1 without the load, for up to 40 % of")))));
}

TEST(Report, a_hypervisor_that_cannot_be_told_apart_is_told_of) {
    Measurement taken = sample::Machine().measure(6);
    EXPECT_THAT(make_report(taken).warnings, Contains(HasId("hypervisor-in-interrupts")));
    for (auto& phase : taken.phases)
        for (auto& window : phase.soaked)
            window.causes.hypervisor = base::Nanoseconds::zero();
    EXPECT_THAT(make_report(taken).warnings, Not(Contains(HasId("hypervisor-in-interrupts"))));
}

TEST(Report, one_kind_of_phase_gives_one_method) {
    const Report soaked = make_report(sample::Machine().measure_only(PhaseKind::soaked, 8));
    EXPECT_TRUE(find(soaked, "packet", Method::soaked));
    EXPECT_FALSE(find(soaked, "packet", Method::idle_time));
    EXPECT_FALSE(soaked.perturbation);
    EXPECT_FALSE(soaked.cpus[0].free_elapsed);
    EXPECT_THAT(soaked.warnings, Not(Contains(HasId("no-idle-time"))));

    const Report free = make_report(sample::Machine().measure_only(PhaseKind::free, 8));
    EXPECT_TRUE(find(free, "packet", Method::idle_time));
    EXPECT_FALSE(find(free, "packet", Method::soaked));
    EXPECT_FALSE(free.cpus[0].soaked);
}

TEST(Report, a_kind_in_which_nothing_moved_has_no_demand) {
    sample::Truth truth{.soaked_packets = 0};
    const Report report = make_report(sample::Machine(truth).measure(8));
    EXPECT_FALSE(find(report, "packet", Method::soaked));
    EXPECT_TRUE(find(report, "packet", Method::idle_time));
}

TEST(Report, of_nothing_is_a_report_of_nothing) {
    const Report report = make_report({});
    EXPECT_TRUE(report.demands.empty());
    EXPECT_FALSE(report.perturbation);
    EXPECT_THAT(report.warnings, testing::ElementsAre(HasId("no-work")));
}

TEST(Report, passes_on_what_others_found) {
    Measurement measurement = sample::Machine().measure(6);
    measurement.settings["kernel"] = "6.1";
    measurement.warnings.push_back({.id = "no-cgroup", .text = "."});
    measurement.benchmark = demand::BenchmarkReport{{"iperf3"}, 1, {}};
    const Report report = make_report(measurement);
    EXPECT_EQ(report.settings.at("kernel"), "6.1");
    EXPECT_EQ(report.warnings[0].id, "no-cgroup");
    EXPECT_EQ(report.benchmark->exit_status, 1);
    EXPECT_EQ(report.yielding, "cgroup");
    EXPECT_EQ(report.elapsed, measurement.elapsed);
}

} // namespace
