#include "demand/verification.h"

#include <gmock/gmock.h>

namespace {

using namespace std::chrono_literals;
using demand::Accuracy;
using demand::KnownLoad;
using demand::KnownPhase;
using demand::LoadCheck;
using demand::PhaseKind;
using demand::Verification;
using testing::DoubleNear;
using testing::Optional;

constexpr double exact = 1e-12;

KnownPhase soaked(std::chrono::milliseconds truth, const soak::Causes& causes) {
    KnownPhase known{.truth = truth};
    known.phase.kind = PhaseKind::soaked;
    known.phase.elapsed = 1000ms;
    soak::CpuWindow window{.elapsed = 1000ms, .causes = causes};
    window.stolen = causes.tasks + causes.interrupts + causes.core + causes.cache +
                    causes.unexplained + causes.hypervisor.value_or(0ms);
    known.phase.soaked.push_back(window);
    return known;
}

KnownPhase free(std::chrono::milliseconds elapsed, std::chrono::milliseconds truth,
                std::chrono::milliseconds idle) {
    KnownPhase known{.truth = truth};
    known.phase.elapsed = elapsed;
    known.phase.counters.cpus.push_back({.idle = idle});
    return known;
}

KnownLoad idle_system() {
    // Per second 10 ms of tasks, and in the 990 ms left over 99 ms of interrupts: a tenth.
    return {"idle", {soaked(0ms, {.tasks = 10ms, .interrupts = 99ms}), free(1000ms, 0ms, 980ms)}};
}

TEST(CheckLoads, is_net_of_the_idle_system_by_the_rule_of_demand) {
    const KnownLoad load{
        "burn",
        {soaked(
             400ms,
             {.tasks = 410ms, .interrupts = 60ms, .core = 7ms, .cache = -3ms, .unexplained = 1ms}),
         free(1000ms, 400ms, 575ms)}};
    const auto checks = demand::check_loads({idle_system(), load});
    ASSERT_EQ(checks.size(), 2u);
    const LoadCheck& check = checks[1];
    EXPECT_EQ(check.name, "burn");
    EXPECT_THAT(check.true_ratio, Optional(DoubleNear(0.400, exact)));
    EXPECT_THAT(check.tasks_ratio, Optional(DoubleNear(0.400, exact)));
    // 590 ms were left to the soaker, a tenth of which interrupts take anyway.
    EXPECT_THAT(check.interrupts_ratio, Optional(DoubleNear(0.001, exact)));
    EXPECT_THAT(check.core_ratio, Optional(DoubleNear(0.007, exact)));
    EXPECT_THAT(check.cache_ratio, Optional(DoubleNear(-0.003, exact)));
    EXPECT_THAT(check.unexplained_ratio, Optional(DoubleNear(0.001, exact)));
    EXPECT_THAT(check.stolen_ratio, Optional(DoubleNear(0.406, exact)));
    EXPECT_THAT(check.baseline_ratio, Optional(DoubleNear(0.069, exact)));
    EXPECT_THAT(check.idle_time_ratio, Optional(DoubleNear(0.405, exact)));
    EXPECT_THAT(check.idle_time_true_ratio, Optional(DoubleNear(0.400, exact)));
    EXPECT_FALSE(check.hypervisor_ratio);
}

TEST(CheckLoads, is_the_median_of_phases) {
    KnownLoad load{"burn", {}};
    for (const auto tasks : {210ms, 999ms, 212ms, 1ms, 211ms})
        load.phases.push_back(soaked(200ms, {.tasks = tasks}));
    load.phases.push_back(free(1000ms, 100ms, 880ms));
    load.phases.push_back(free(1000ms, 100ms, 300ms));
    load.phases.push_back(free(1000ms, 100ms, 900ms));
    const auto check = demand::check_loads({idle_system(), load}).at(1);
    EXPECT_THAT(check.tasks_ratio, Optional(DoubleNear(0.201, exact)));
    EXPECT_THAT(check.idle_time_ratio, Optional(DoubleNear(0.100, exact)));
}

TEST(CheckLoads, weighs_an_outlier_of_the_baseline_no_more_than_one_of_the_load) {
    KnownLoad idle{"idle", {}}, load{"burn", {}};
    for (const auto tasks : {2ms, 2ms, 700ms}) {
        idle.phases.push_back(soaked(0ms, {.tasks = tasks}));
        load.phases.push_back(soaked(100ms, {.tasks = tasks + 100ms}));
    }
    EXPECT_THAT(demand::check_loads({idle, load}).at(1).tasks_ratio,
                Optional(DoubleNear(0.100, exact)));
}

TEST(CheckLoads, of_an_even_number_of_phases_takes_the_middle_of_the_two) {
    const KnownLoad load{"burn",
                         {soaked(0ms, {.tasks = 100ms}), soaked(0ms, {.tasks = 200ms}),
                          soaked(0ms, {.tasks = 400ms}), soaked(0ms, {.tasks = 300ms})}};
    EXPECT_THAT(demand::check_loads({load})[0].tasks_ratio, Optional(DoubleNear(0.250, exact)));
}

KnownPhase shared(double core_share, std::chrono::milliseconds truth,
                  std::chrono::milliseconds cache) {
    auto known = soaked(truth, {.tasks = truth, .cache = cache});
    known.phase.soaked[0].core_share_ratio = core_share;
    return known;
}

TEST(CheckLoads, leaves_out_what_a_stranger_on_the_core_disturbed) {
    // Most of the time; 0.995 is within what a share varies by.
    KnownLoad load{
        "burn", {shared(1.010, 100ms, 2ms), shared(0.995, 150ms, 3ms), shared(1.020, 200ms, 4ms)}};
    for (const double share : {0.98, 0.90, 0.70, 0.98, 0.95})
        load.phases.push_back(shared(share, 300ms, 60ms));
    const auto check = demand::check_loads({load})[0];
    EXPECT_THAT(check.disturbed_ratio, DoubleNear(5.0 / 8, exact));
    EXPECT_THAT(check.true_ratio, Optional(DoubleNear(0.150, exact)));
    EXPECT_THAT(check.tasks_ratio, Optional(DoubleNear(0.150, exact)));
    EXPECT_THAT(check.cache_ratio, Optional(DoubleNear(0.003, exact)));
}

TEST(CheckLoads, leaves_a_stranger_out_of_the_baseline_too) {
    const KnownLoad idle{"idle",
                         {shared(0.9, 0ms, 80ms), shared(0.9, 0ms, 80ms), shared(1.0, 0ms, 10ms),
                          shared(1.0, 0ms, 10ms)}};
    const KnownLoad load{"burn", {shared(1.0, 0ms, 30ms)}};
    EXPECT_THAT(demand::check_loads({idle, load})[1].cache_ratio,
                Optional(DoubleNear(0.020, exact)));
}

TEST(CheckLoads, leaves_out_what_was_not_measured) {
    KnownPhase blind = free(1000ms, 500ms, 0ms);
    blind.phase.counters.cpus[0].idle.reset();
    const auto check = demand::check_loads({{"gaps", {blind}}})[0];
    EXPECT_FALSE(check.true_ratio);
    EXPECT_FALSE(check.tasks_ratio);
    EXPECT_FALSE(check.idle_time_ratio);
}

TEST(CheckLoads, tells_hypervisor_where_it_is_measured) {
    const KnownLoad load{"burn", {soaked(0ms, {.interrupts = 10ms, .hypervisor = 50ms})}};
    const auto check = demand::check_loads({load})[0];
    EXPECT_THAT(check.hypervisor_ratio, Optional(DoubleNear(0.050, exact)));
    EXPECT_THAT(check.interrupts_ratio, Optional(DoubleNear(0.010, exact)));
}

TEST(FreePhase, is_hardly_moved_by_the_steps_of_idle_time) {
    // 25 % of a CPU in periods of 10 ms, read each 4.1 ms.
    std::vector<demand::FreeReading> readings;
    for (auto at = 0us; at < 500'000us; at += 4'100us) {
        const auto truth = at / 10'000 * 2'500 + std::min(at % 10'000us, 2'500us);
        readings.push_back({7s + at, 3s + truth, (1s + at - truth) / 10ms * 10ms});
    }
    const auto known = demand::make_free_phase(3, readings);
    ASSERT_TRUE(known);
    const double seconds = base::to_seconds(known->phase.elapsed);
    EXPECT_NEAR(base::to_seconds(known->truth) / seconds, 0.25, 0.001);
    EXPECT_EQ(known->phase.counters.cpus[0].cpu, 3);
    EXPECT_NEAR(base::to_seconds(*known->phase.counters.cpus[0].idle) / seconds, 0.75, 0.003);
    EXPECT_FALSE(demand::make_free_phase(3, {readings[0]}));
}

LoadCheck right(const std::string& name) {
    return {.name = name,
            .true_ratio = 0.25,
            .tasks_ratio = 0.25,
            .stolen_ratio = 0.25,
            .core_ratio = 0,
            .cache_ratio = 0,
            .unexplained_ratio = 0,
            .idle_time_true_ratio = 0.25,
            .idle_time_ratio = 0.25};
}

/// A figure made wrong by `error`, and by how much it may be.
struct Wrong {
    std::string figure;
    std::optional<double> LoadCheck::*value;
    double limit;
};

class Judging : public testing::TestWithParam<Wrong> {};

INSTANTIATE_TEST_SUITE_P(EachFigure, Judging,
                         testing::Values(Wrong{"tasks", &LoadCheck::tasks_ratio, 0.003},
                                         Wrong{"stolen", &LoadCheck::stolen_ratio, 0.02},
                                         Wrong{"idle time", &LoadCheck::idle_time_ratio, 0.007},
                                         Wrong{"unexplained", &LoadCheck::unexplained_ratio, 0.005},
                                         Wrong{"core", &LoadCheck::core_ratio, 0.015},
                                         Wrong{"cache", &LoadCheck::cache_ratio, 0.015}));

TEST_P(Judging, allows_its_limit_either_way_and_no_more) {
    const auto judge_with = [&](double error) {
        Verification verification{.loads = {right("a"), right("b"), right("c")}};
        *(verification.loads[1].*GetParam().value) += error;
        verification.accuracies = demand::judge(verification);
        return verification;
    };
    for (const double sign : {-1.0, 1.0}) {
        EXPECT_TRUE(judge_with(sign * (GetParam().limit - 1e-6)).trustworthy());
        const auto too_far = judge_with(sign * (GetParam().limit + 1e-6));
        EXPECT_FALSE(too_far.trustworthy());
        for (const Accuracy& accuracy : too_far.accuracies) {
            EXPECT_EQ(accuracy.kept(), accuracy.figure != GetParam().figure) << accuracy.figure;
            EXPECT_TRUE(accuracy.kept() || accuracy.load == "b") << accuracy.load;
        }
    }
}

TEST(Judge, expects_no_clock_to_know_what_evictions_cost) {
    LoadCheck walk = right("walk");
    walk.evicts = walk.wakes_often = true;
    walk.stolen_ratio = 0.32;
    walk.cache_ratio = 0.05;
    Verification verification{.loads = {walk}};
    verification.accuracies = demand::judge(verification);
    EXPECT_TRUE(verification.trustworthy());
    verification.loads[0].tasks_ratio = 0.26;
    verification.accuracies = demand::judge(verification);
    EXPECT_FALSE(verification.trustworthy());
}

TEST(Judge, expects_no_clock_to_know_what_waking_costs) {
    LoadCheck burst = right("1ms");
    burst.wakes_often = true;
    burst.idle_time_ratio = 0.26;
    burst.stolen_ratio = 0.28;
    Verification verification{.loads = {burst}};
    verification.accuracies = demand::judge(verification);
    EXPECT_TRUE(verification.trustworthy());
}

TEST(Judge, of_what_is_taken_depends_on_the_method) {
    const auto kept = [](double taken, const std::string& yielding) {
        Verification verification{.taken_ratio = taken, .yielding = yielding};
        verification.accuracies = demand::judge(verification);
        return verification.trustworthy();
    };
    EXPECT_TRUE(kept(0.0029, "cgroup"));
    EXPECT_FALSE(kept(0.0031, "cgroup"));
    EXPECT_FALSE(kept(0.0031, "slice"));
    EXPECT_TRUE(kept(0.0149, "autogroup"));
    EXPECT_FALSE(kept(0.0151, "autogroup"));
    EXPECT_TRUE(kept(0.34, "none"));
}

TEST(Verification, that_was_interrupted_is_not_to_be_trusted) {
    EXPECT_TRUE(Verification{}.trustworthy());
    EXPECT_FALSE(Verification{.complete = false}.trustworthy());
}

} // namespace
