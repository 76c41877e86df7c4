#include "demand/measurement.h"
#include "demand/peer.h"
#include "tests/demand/sample.h"
#include "tests/demand/sample_peer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

namespace {

using namespace std::chrono_literals;
using demand::make_peer_report;
using demand::Method;
using demand::PeerMeasurement;
using demand::PeerReport;
using sample::OtherEnd;
using testing::HasSubstr;

const std::map<std::string, demand::Done> packets{{"packet", {1e6, "iperf3"}}};

const demand::Demand* find(const PeerReport& report, Method method) {
    for (const auto& demand : report.demands)
        if (demand.method == method) return &demand;
    return nullptr;
}

/// Why there is nothing of a measurement after `spoil`.
std::string absent(const std::function<void(PeerMeasurement&)>& spoil) {
    auto heard = OtherEnd().measure(10s);
    spoil(heard);
    const auto report = make_peer_report(heard, packets);
    EXPECT_TRUE(report.demands.empty());
    return report.absent;
}

std::string soaked_absent(const std::function<void(PeerMeasurement&)>& spoil) {
    auto heard = OtherEnd().measure(10s);
    spoil(heard);
    const auto report = make_peer_report(heard, packets);
    EXPECT_EQ(report.absent, "");
    EXPECT_TRUE(find(report, Method::idle_time));
    EXPECT_FALSE(find(report, Method::soaked));
    return report.soaked_absent;
}

TEST(Peer, finds_the_true_idle_time_demand) {
    const auto report = make_peer_report(OtherEnd().measure(10s), packets);
    EXPECT_EQ(report.absent, "");
    EXPECT_EQ(report.cyclesoak, "0.1.0");
    ASSERT_TRUE(report.interval);
    EXPECT_EQ(report.interval->elapsed, 11s);
    EXPECT_EQ(report.interval->cpus, 4);
    EXPECT_EQ(report.interval->baseline_stretches, 4);
    EXPECT_NEAR(base::to_seconds(report.interval->busy), 4 * (0.3 * 10 + 0.02 * 11), 0.1);
    const auto* found = find(report, Method::idle_time);
    ASSERT_TRUE(found && found->seconds_per_unit.low);
    constexpr double truth = 4 * 0.3 * 10 / 1e6;
    EXPECT_EQ(found->unit, "packet");
    EXPECT_EQ(found->source, "iperf3");
    EXPECT_LE(*found->seconds_per_unit.low, truth);
    EXPECT_GE(*found->seconds_per_unit.high, truth);
    EXPECT_LT(*found->seconds_per_unit.high, truth * 1.05);
    EXPECT_NEAR(base::to_seconds(report.interval->busy - *report.interval->baseline),
                found->seconds_per_unit.value * 1e6, 1e-8);
}

TEST(Peer, the_kernel_s_steps_alone_make_an_interval) {
    const auto report = make_peer_report(OtherEnd().measure(10s), packets); // no scatter
    const auto& found = report.demands.at(0).seconds_per_unit;
    constexpr double load = 11, baseline = 4, once = load / baseline;
    const double squares = 2 * ((1 + once) * (1 + once) + once * once);
    const double error = std::sqrt(4 * 2 * 0.01 * 0.01 / 12 * squares);
    EXPECT_NEAR((*found.high - *found.low) / 2 * 1e6, 1.96 * error, 1e-3);
}

/// How many of 1,000 intervals hold the truth.
int held(const OtherEnd::Truth& truth, int after) {
    int inside = 0;
    for (unsigned seed = 1; seed <= 1000; ++seed) {
        const auto report = make_peer_report(OtherEnd(truth, seed).measure(10s, 2, after), packets);
        const auto& found = report.demands.at(0).seconds_per_unit;
        const double net = truth.cpus * truth.load * 10 / 1e6;
        inside += *found.low <= net && net <= *found.high;
    }
    return inside;
}

TEST(Peer, its_intervals_hold_the_truth_as_often_as_they_say) {
    // Steps alone are taken for scatter too, so then they do it more often.
    EXPECT_GE(held({.windows = 0}, 3), 930);
    EXPECT_GE(held({.baseline = 0.2, .noise = 0.02, .windows = 0}, 3), 930);
    EXPECT_LE(held({.baseline = 0.2, .noise = 0.02, .windows = 0}, 3), 985);
    EXPECT_GE(held({.baseline = 0.2, .noise = 0.02, .windows = 0}, 6), 930);
    EXPECT_LE(held({.baseline = 0.2, .noise = 0.02, .windows = 0}, 6), 985);
}

TEST(Peer, few_stretches_of_baseline_give_no_interval) {
    const auto report = make_peer_report(OtherEnd().measure(10s, 2, 2), packets);
    EXPECT_EQ(report.interval->baseline_stretches, 2);
    EXPECT_FALSE(report.demands.at(0).seconds_per_unit.low);
    EXPECT_NEAR(report.demands.at(0).seconds_per_unit.value, 12e-6, 1e-6);
}

TEST(Peer, without_a_baseline_nothing_is_subtracted) {
    const auto report = make_peer_report(OtherEnd().measure(10s, 1, 1), packets);
    EXPECT_FALSE(report.interval->baseline);
    EXPECT_FALSE(report.demands.at(0).seconds_per_unit.low);
    EXPECT_NEAR(report.demands.at(0).seconds_per_unit.value * 1e6,
                base::to_seconds(report.interval->busy), 1e-8);
}

TEST(Peer, only_a_reading_that_is_younger_than_the_load_s_end_is_from_after_it) {
    const demand::PeerReading reading{.age = 300ms};
    EXPECT_TRUE(demand::read_since(reading, 10s, 9700ms));
    EXPECT_FALSE(demand::read_since(reading, 10s, 9701ms));
}

TEST(Peer, says_why_it_heard_nothing) {
    EXPECT_THAT(absent([](auto& heard) { heard.before.clear(); }), HasSubstr("not asked"));
    EXPECT_THAT(absent([](auto& heard) { heard.after.clear(); }), HasSubstr("nothing new"));
    EXPECT_EQ(absent([](auto& heard) {
                  heard.after.clear();
                  heard.failure = "it is gone";
              }),
              "it is gone");
    EXPECT_THAT(absent([](auto& heard) {
                    for (auto* readings : {&heard.before, &heard.after})
                        for (auto& reading : *readings)
                            reading.totals.cpus.clear();
                }),
                HasSubstr("no CPU"));
}

TEST(Peer, what_was_heard_before_it_failed_stands) {
    auto heard = OtherEnd().measure(10s);
    heard.failure = "it is gone";
    EXPECT_EQ(make_peer_report(heard, packets).absent, "");
}

TEST(Peer, an_agent_that_is_not_the_same_all_the_time_is_not_used) {
    EXPECT_THAT(absent([](auto& heard) { heard.after[0].totals.own.started = 4s; }),
                HasSubstr("restarted"));
    EXPECT_THAT(absent([](auto& heard) { heard.after[0].totals.time = 1s; }),
                HasSubstr("restarted"));
    EXPECT_THAT(absent([](auto& heard) {
                    for (auto& reading : heard.after)
                        reading.totals.paused = 2s;
                }),
                HasSubstr("paused for 2.0 s"));
    EXPECT_THAT(absent([](auto& heard) { heard.after[1].totals.cpus.pop_back(); }),
                HasSubstr("CPUs changed"));
    EXPECT_THAT(absent([](auto& heard) { heard.after[1].totals.cpus[3].cpu = 7; }),
                HasSubstr("CPUs changed"));
}

TEST(Peer, figures_that_cannot_be_are_not_used) {
    EXPECT_THAT(absent([](auto& heard) { heard.after[0].totals.cpus[1].busy.reset(); }),
                HasSubstr("not exact"));
    EXPECT_THAT(absent([](auto& heard) { heard.after[0].totals.cpus[1].busy = 0s; }),
                HasSubstr("backwards"));
    EXPECT_THAT(absent([](auto& heard) { *heard.after[0].totals.cpus[1].busy += 12s; }),
                HasSubstr("contradict"));
    EXPECT_THAT(absent([](auto& heard) {
                    for (auto& reading : heard.after)
                        reading.totals.cpus[1].accounted -= 1s;
                }),
                HasSubstr("did not watch CPU 1"));
}

TEST(Peer, without_work_there_is_no_demand) {
    for (const auto& work : {std::map<std::string, demand::Done>{}, {{"packet", {0, "lo"}}}}) {
        const auto report = make_peer_report(OtherEnd().measure(10s), work);
        EXPECT_TRUE(report.demands.empty());
        EXPECT_THAT(report.absent, HasSubstr("no work"));
    }
}

TEST(Peer, finds_the_true_soaked_demand) {
    const auto report = make_peer_report(OtherEnd().measure(10s), packets);
    EXPECT_EQ(report.soaked_absent, "");
    const auto* found = find(report, Method::soaked);
    ASSERT_TRUE(found && found->seconds_per_unit.low);
    EXPECT_EQ(found->pairs, 4 * 11 * 50);
    EXPECT_NEAR(found->seconds_per_unit.value, 4 * 0.3 * 10 / 1e6, 0.2e-6);
    EXPECT_LE(*found->seconds_per_unit.low, 12e-6);
    EXPECT_GE(*found->seconds_per_unit.high, 12e-6);
}

TEST(Peer, soaked_figures_that_are_not_worth_it_are_left_out) {
    EXPECT_THAT(soaked_absent([](auto& heard) { heard.windows.reset(); }), HasSubstr("not asked"));
    EXPECT_EQ(soaked_absent([](auto& heard) {
                  heard.windows.reset();
                  heard.windows_failure = "it is gone";
              }),
              "it is gone");
    EXPECT_THAT(soaked_absent([](auto& heard) {
                    heard.after[0].totals.calibration = demand::CalibrationState::doubtful;
                }),
                HasSubstr("calibrated"));
    EXPECT_THAT(soaked_absent([](auto& heard) {
                    auto& windows = heard.windows->totals.recent;
                    windows.erase(windows.begin(), windows.begin() + 500);
                }),
                HasSubstr("does not reach back"));
    EXPECT_THAT(soaked_absent([](auto& heard) {
                    std::erase_if(heard.windows->totals.recent, [&](const auto& window) {
                        return window.start >= heard.before.back().totals.time;
                    });
                    heard.windows->totals.windows = 0;
                }),
                HasSubstr("0 of its windows"));
    EXPECT_THAT(soaked_absent([](auto& heard) {
                    std::erase_if(heard.windows->totals.recent, [&](const auto& window) {
                        return window.window.cpu == 2 &&
                               (window.start < heard.before.back().totals.time ||
                                window.start >= heard.after.front().totals.time);
                    });
                    heard.windows->totals.windows = 0;
                }),
                HasSubstr("CPU 2 fell into the baseline"));
}

TEST(Peer, soaked_figures_of_few_windows_are_too_uncertain) {
    const OtherEnd::Truth scattered{.baseline = 0.4, .load = 0.05, .windows = 2};
    const auto report = make_peer_report(OtherEnd(scattered).measure(10s), packets);
    EXPECT_FALSE(find(report, Method::soaked));
    EXPECT_THAT(report.soaked_absent, testing::ContainsRegex("tell it to ± [0-9]+ % only"));
}

TEST(Peer, the_scatter_of_the_baseline_s_windows_is_in_the_soaked_interval) {
    const auto width = [](base::Nanoseconds scatter) {
        auto heard = OtherEnd().measure(10s);
        for (auto& window : heard.windows->totals.recent)
            if (window.start < heard.before.back().totals.time) {
                scatter = -scatter;
                window.window.causes.tasks += scatter;
                window.window.stolen += scatter;
            }
        const auto report = make_peer_report(heard, packets);
        const auto& found = find(report, Method::soaked)->seconds_per_unit;
        return *found.high - *found.low;
    };
    EXPECT_GT(width(2ms), 2 * width(0ms));
}

TEST(Peer, windows_across_the_load_s_edges_are_in_neither) {
    auto heard = OtherEnd().measure(10s);
    auto& window = heard.windows->totals.recent.emplace_back();
    window.start = heard.before.back().totals.time - 5ms;
    window.window.elapsed = 10ms;
    window.window.stolen = window.window.causes.tasks = 1h; // would be seen
    const auto report = make_peer_report(heard, packets);
    ASSERT_TRUE(find(report, Method::soaked));
    EXPECT_NEAR(find(report, Method::soaked)->seconds_per_unit.value, 12e-6, 0.2e-6);
}

TEST(Peer, its_part_stands_in_the_report_and_its_absence_is_a_warning) {
    auto measurement = sample::Machine().measure(12);
    measurement.work = sample::work_of(measurement);
    const auto report = [&](PeerMeasurement heard) {
        measurement.peer = std::move(heard);
        return make_report(measurement);
    };
    const auto good = report(OtherEnd().measure(measurement.elapsed));
    ASSERT_TRUE(good.peer);
    EXPECT_EQ(good.peer->demands.size(), 4u); // packets and transactions by both methods
    EXPECT_EQ(good.peer->interval->units.at("transaction"), *measurement.work->transactions);

    const auto bad = report({.address = "there:1", .failure = "it is gone"});
    EXPECT_TRUE(bad.peer->demands.empty());
    EXPECT_EQ(bad.demands.size(), good.demands.size());
    const auto warning = std::find_if(bad.warnings.begin(), bad.warnings.end(),
                                      [](const auto& w) { return w.id == "peer-absent"; });
    ASSERT_NE(warning, bad.warnings.end());
    EXPECT_THAT(warning->text, testing::AllOf(HasSubstr("there:1"), HasSubstr("it is gone")));
}

TEST(Peer, work_that_covers_a_part_of_the_load_is_scaled_to_all_of_it) {
    auto measurement = sample::Machine().measure(12);
    measurement.work = sample::work_of(measurement);
    const double all = *measurement.work->transactions;
    measurement.work->complete = false;
    *measurement.work->transactions /= 4;
    *measurement.work->seconds /= 4;
    measurement.peer = OtherEnd().measure(measurement.elapsed);
    const auto report = make_report(measurement);
    EXPECT_NEAR(report.peer->interval->units.at("transaction"), all, all * 0.1);
}

} // namespace
