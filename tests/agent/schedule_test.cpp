#include "agent/schedule.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

namespace agent {
namespace {

using namespace std::chrono_literals;
using What = Schedule::What;

/// Takes every step at its time, until `end`; `see` gets each that was not refused.
template <typename See>
void run(Schedule& schedule, Nanoseconds end, See&& see) {
    for (auto step = schedule.next(); step.at < end; step = schedule.next())
        if (schedule.take(step, step.at)) see(step);
}

TEST(Schedule, a_window_has_its_edges_in_order_and_at_its_times) {
    Schedule schedule({0}, {.cut = 5ms, .window = 20ms, .settling = 1ms}, 1, 0ns);
    std::vector<Schedule::Step> steps;
    run(schedule, 1h, [&](const auto& step) { steps.push_back(step); });
    ASSERT_GT(steps.size(), 400u);
    for (size_t i = 0; i + 2 < steps.size(); i += 3) {
        EXPECT_EQ(steps[i].what, What::soak);
        EXPECT_EQ(steps[i + 1].what, What::begin);
        EXPECT_EQ(steps[i + 1].at - steps[i].at, 5ms);
        EXPECT_EQ(steps[i + 2].what, What::read);
        EXPECT_EQ(steps[i + 2].at - steps[i + 1].at, 21ms);
    }
}

/// Soaked share of the time of each CPU, over a day.
std::map<size_t, double> soaked_shares(std::vector<int> cores, const Schedule::Plan& plan) {
    Schedule schedule(std::move(cores), plan, 7, 0ns);
    std::map<size_t, Nanoseconds> begun, soaked;
    run(schedule, 24h, [&](const auto& step) {
        if (step.what == What::soak) begun[step.cpu] = step.at;
        if (step.what == What::read) soaked[step.cpu] += step.at - plan.settling - begun[step.cpu];
    });
    std::map<size_t, double> shares;
    for (const auto& [cpu, time] : soaked)
        shares[cpu] = base::to_seconds(time) / base::to_seconds(24h);
    return shares;
}

TEST(Schedule, soaks_each_cpu_for_the_share_of_time_it_was_asked_for) {
    for (const double duty : {0.001, 0.01, 0.05})
        for (const auto& [cpu, share] : soaked_shares({0, 1, 2, 3}, {.duty = duty}))
            EXPECT_NEAR(share / duty, 1, 0.05) << cpu;
}

TEST(Schedule, gaps_are_exponentially_distributed) {
    Schedule schedule({0}, {.duty = 0.01}, 3, 0ns);
    std::vector<double> gaps;
    Nanoseconds last{};
    run(schedule, 24h, [&](const auto& step) {
        if (step.what == What::soak) gaps.push_back(base::to_seconds(step.at - last));
        if (step.what == What::read) last = step.at;
    });
    double sum = 0, squares = 0, below_half_mean = 0;
    for (const double gap : gaps)
        sum += gap, squares += gap * gap;
    const auto count = static_cast<double>(gaps.size());
    const double mean = sum / count;
    for (const double gap : gaps)
        below_half_mean += gap < mean / 2;
    EXPECT_NEAR(mean, 2.475, 0.05);
    EXPECT_NEAR((squares / count - mean * mean) / (mean * mean), 1, 0.05);
    EXPECT_NEAR(below_half_mean / count, 0.3935, 0.01); // 1 - exp(-1/2)
}

/// CPUs that soak at the same time, each such set once.
std::set<std::set<size_t>> together(std::vector<int> cores, double duty) {
    Schedule schedule(std::move(cores), {.duty = duty}, 5, 0ns);
    std::set<std::set<size_t>> sets;
    std::set<size_t> now;
    run(schedule, 1h, [&](const auto& step) {
        if (step.what == What::soak) now.insert(step.cpu);
        if (step.what == What::read) now.erase(step.cpu);
        sets.insert(now);
    });
    return sets;
}

TEST(Schedule, never_all_cpus_soak_at_once) {
    const auto sets = together({0, 1, 2}, 0.4);
    EXPECT_TRUE(sets.contains({0, 1}));
    EXPECT_FALSE(sets.contains({0, 1, 2}));
    EXPECT_FALSE(together({0, 1}, 0.4).contains({0, 1}));
}

TEST(Schedule, a_machine_of_one_cpu_is_soaked_all_the_same) {
    EXPECT_NEAR(soaked_shares({0}, {.duty = 0.01}).at(0), 0.01, 0.0005);
}

TEST(Schedule, siblings_never_soak_together) {
    const auto sets = together({0, 0, 1, 1}, 0.4);
    EXPECT_TRUE(sets.contains({0, 2}));
    for (const auto& set : sets)
        EXPECT_FALSE((set.contains(0) && set.contains(1)) || (set.contains(2) && set.contains(3)));
}

TEST(Schedule, is_not_the_same_on_every_host) {
    EXPECT_NE(Schedule({0}, {}, 1, 0ns).next().at, Schedule({0}, {}, 2, 0ns).next().at);
    EXPECT_EQ(Schedule({0}, {}, 1, 0ns).next().at, Schedule({0}, {}, 1, 0ns).next().at);
}

TEST(Schedule, a_late_step_keeps_the_windows_length) {
    Schedule schedule({0}, {.cut = 5ms, .window = 20ms}, 1, 0ns);
    const auto soak = schedule.next();
    schedule.take(soak, soak.at + 1s);
    EXPECT_EQ(schedule.next().at, soak.at + 1s + 5ms);
}

TEST(Schedule, after_a_pause_no_window_is_open) {
    Schedule schedule({0, 1}, {}, 1, 0ns);
    schedule.take(schedule.next(), 10s);
    schedule.restart(20s);
    EXPECT_EQ(schedule.next().what, What::soak);
    EXPECT_GT(schedule.next().at, 20s);
    std::set<size_t> soaked;
    run(schedule, 1h, [&](const auto& step) {
        if (step.what == What::soak)
            soaked.insert(step.cpu);
        else
            EXPECT_TRUE(soaked.contains(step.cpu));
    });
    EXPECT_EQ(soaked.size(), 2u);
}

} // namespace
} // namespace agent
