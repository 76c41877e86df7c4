#include "soak/calibration.h"
#include "tests/soak/usual.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace soak {
namespace {

constexpr auto walk = index(ChunkKind::walk);
constexpr auto latency = index(ChunkKind::latency);
constexpr auto throughput = index(ChunkKind::throughput);

/// Mostly `usual`, and a few that were interrupted.
std::vector<Ticks> samples(Ticks usual, size_t interrupted = 3) {
    std::vector<Ticks> all(512, usual);
    std::fill_n(all.begin(), interrupted, 2'000'000);
    return all;
}

ChunkSamples usual_samples() {
    return {.warm = {samples(252), samples(200), samples(220)},
            .cold = samples(6000),
            .evicted = samples(892),
            .readings = samples(2600)};
}

/// A window of 1000 walking chunks, and of each yardstick a hundred, of these means.
Tally window(Ticks walk_mean, Ticks latency_mean, Ticks stall = 0) {
    Tally tally;
    tally.chunks[walk] = {.done = 1000, .stalled = 0, .ticks = 1000 * walk_mean};
    tally.chunks[latency] = {.done = 100, .stalled = 0, .ticks = 100 * latency_mean};
    tally.chunks[throughput] = {.done = 100, .stalled = 0, .ticks = 100 * 220};
    if (stall > 0) {
        ++tally.chunks[walk].done, ++tally.chunks[walk].stalled;
        tally.stall_ticks = stall;
    }
    tally.until = 1000 * walk_mean + 100 * latency_mean + 100 * 220 + (stall > 0 ? stall + 252 : 0);
    return tally;
}

CpuCalibration calibrate(const std::vector<Tally>& windows) {
    return calibrate_cpu(3, usual_samples(), make_limits(usual_samples(), 2), windows);
}

TEST(Quantile, of_sorted_samples) {
    std::vector<Ticks> descending;
    for (Ticks i = 100; i >= 0; --i)
        descending.push_back(i);
    EXPECT_EQ(quantile(descending, 0), 0);
    EXPECT_EQ(quantile(descending, 0.5), 50);
    EXPECT_EQ(quantile(descending, 0.99), 99);
    EXPECT_EQ(quantile(descending, 1), 100);
    EXPECT_EQ(quantile({7}, 0.5), 7);
    EXPECT_EQ(quantile({}, 0.5), 0);
}

TEST(MakeLimits, nominal_times_are_medians) {
    const auto limits = make_limits(usual_samples(), 2.1);
    EXPECT_EQ(limits.nominal[walk], 252);
    EXPECT_EQ(limits.nominal[latency], 200);
    EXPECT_EQ(limits.nominal[throughput], 220);
    EXPECT_DOUBLE_EQ(limits.ticks_per_ns, 2.1);
}

TEST(MakeLimits, a_cold_walking_chunk_is_no_stall) {
    const auto limits = make_limits(usual_samples(), 2);
    EXPECT_GT(limits.walk_threshold(), 6000);
    EXPECT_LT(limits.walk_threshold(), 12'000); // nor is a stall taken for a cold chunk
}

TEST(MakeLimits, interrupted_samples_do_not_stretch_them) {
    auto busy = usual_samples();
    busy.cold = samples(6000, 100); // of 512
    busy.readings = samples(2600, 100);
    const auto limits = make_limits(busy, 2), quiet = make_limits(usual_samples(), 2);
    EXPECT_EQ(limits.threshold, quiet.threshold);
    EXPECT_EQ(limits.reading, quiet.reading);
}

TEST(MakeLimits, yardsticks_see_short_stalls_but_no_busy_sibling) {
    const auto limits = make_limits(usual_samples(), 2);
    EXPECT_GT(limits.threshold[latency], 2 * 200);
    EXPECT_LT(limits.threshold[latency], limits.walk_threshold());
    EXPECT_EQ(limits.threshold[latency] * 220, limits.threshold[throughput] * 200);
}

TEST(MakeLimits, a_reading_may_take_a_few_times_its_usual_time) {
    const auto limits = make_limits(usual_samples(), 2);
    EXPECT_GT(limits.reading, 2600);
    EXPECT_LT(limits.reading, 4 * 2600);
}

TEST(MakeLimits, without_cold_samples_a_walking_chunk_has_some_room) {
    auto warm_only = usual_samples();
    warm_only.cold.clear();
    EXPECT_EQ(make_limits(warm_only, 2).walk_threshold(), 4 * 252);
}

TEST(MakeLimits, without_samples_everything_is_nothing) {
    const auto limits = make_limits({}, 2);
    EXPECT_EQ(limits.nominal, decltype(limits.nominal)());
    EXPECT_EQ(limits.threshold, decltype(limits.threshold)());
    EXPECT_EQ(limits.reading, 0);
}

TEST(CalibrateCpu, means_are_those_of_unstalled_chunks) {
    const auto cpu = calibrate({window(250, 200), window(254, 200, 900'000)});
    EXPECT_EQ(cpu.cpu, 3);
    EXPECT_DOUBLE_EQ(cpu.mean[walk], 252);
    EXPECT_DOUBLE_EQ(cpu.mean[latency], 200);
    EXPECT_DOUBLE_EQ(cpu.mean[throughput], 220);
    EXPECT_DOUBLE_EQ(cpu.spread[walk], 2);
    EXPECT_DOUBLE_EQ(cpu.spread[latency], 0);
    EXPECT_EQ(cpu.windows, 2);
}

TEST(CalibrateCpu, only_windows_near_the_best_latency_chain_count) {
    // A neighbour slows the chain by 3 % and more in most windows.
    const auto cpu = calibrate(
        {window(300, 206), window(250, 200), window(320, 220), window(251, 203), window(400, 400)});
    EXPECT_EQ(cpu.windows, 2);
    EXPECT_DOUBLE_EQ(cpu.mean[walk], 250.5);
    EXPECT_DOUBLE_EQ(cpu.mean[latency], 201.5);
}

TEST(CalibrateCpu, only_windows_near_the_best_walk_count) {
    // A neighbour in the cache leaves the chain alone.
    const auto cpu =
        calibrate({window(270, 200), window(250, 201), window(254, 200), window(256, 200)});
    EXPECT_EQ(cpu.windows, 2);
    EXPECT_DOUBLE_EQ(cpu.mean[walk], 252);
}

TEST(CalibrateCpu, a_window_with_hardly_any_chain_does_not_set_the_best) {
    auto hardly = window(250, 200);
    hardly.chunks[latency] = {.done = 2, .stalled = 0, .ticks = 2 * 189}; // a coarse counter
    const auto cpu = calibrate({window(250, 200), hardly, window(252, 200)});
    EXPECT_EQ(cpu.windows, 2);
    EXPECT_DOUBLE_EQ(cpu.mean[latency], 200);
}

TEST(CalibrateCpu, windows_in_which_the_soaker_never_ran_do_not_matter) {
    Tally never;
    never.stall_ticks = never.task_ticks = never.until = 1'000'000;
    const auto cpu = calibrate({never, window(250, 200)});
    EXPECT_EQ(cpu.windows, 1);
    EXPECT_DOUBLE_EQ(cpu.mean[walk], 250);
}

TEST(CalibrateCpu, says_how_busy_the_cpu_was) {
    const auto half = window(250, 200, 292'000 - 252);
    EXPECT_DOUBLE_EQ(calibrate({half}).stolen_ratio, (292'000. - 252) / 584'000);
    EXPECT_DOUBLE_EQ(calibrate({window(250, 200)}).stolen_ratio, 0);
}

TEST(CalibrateCpu, without_a_usable_window_means_are_the_nominal_times) {
    for (const auto& windows : {std::vector<Tally>{}, std::vector<Tally>{Tally{}}}) {
        const auto cpu = calibrate(windows);
        EXPECT_EQ(cpu.windows, 0);
        EXPECT_DOUBLE_EQ(cpu.mean[walk], 252);
        EXPECT_DOUBLE_EQ(cpu.spread[walk], 0);
        EXPECT_DOUBLE_EQ(cpu.stolen_ratio, 0);
    }
}

TEST(CalibrateCpu, without_walking_chunks_their_nominal_time_stays) {
    auto yardsticks = window(250, 200);
    yardsticks.chunks[walk] = {};
    EXPECT_DOUBLE_EQ(calibrate({yardsticks}).mean[walk], 252);
}

TEST(CalibrateCpu, the_penalty_of_a_line_is_what_eviction_adds) {
    const auto cpu = calibrate({window(250, 200)});
    EXPECT_DOUBLE_EQ(cpu.line_penalty, (892. - 252) / lines_per_chunk);
    EXPECT_DOUBLE_EQ(cpu.cold, 6000);
}

TEST(CalibrateCpu, the_penalty_is_never_negative) {
    auto odd = usual_samples();
    odd.evicted = samples(200);
    EXPECT_DOUBLE_EQ(calibrate_cpu(0, odd, make_limits(odd, 2), {}).line_penalty, 0);
    EXPECT_DOUBLE_EQ(calibrate_cpu(0, {}, {}, {}).line_penalty, 0);
}

/// A window in which the soaker got through that much more than calibrated, per thousand.
CpuWindow faster_by(int per_thousand) {
    CpuWindow window;
    window.soaked = std::chrono::milliseconds(100);
    window.causes.core = -window.soaked * per_thousand / 2000;
    window.causes.cache = -window.soaked * per_thousand / 2000;
    return window;
}

bool contradicted_by(const std::vector<int>& per_thousand) {
    std::vector<CpuWindow> windows;
    for (const int faster : per_thousand)
        windows.push_back(faster_by(faster));
    return contradicts_calibration(windows);
}

TEST(ContradictsCalibration, when_most_windows_are_clearly_faster) {
    EXPECT_TRUE(contradicted_by({32, 40}));
    EXPECT_TRUE(contradicted_by({32, 0, 40}));
    EXPECT_FALSE(contradicted_by({32, 0, 40, 0})); // half is not most
    EXPECT_FALSE(contradicted_by({28, 28, 28}));   // within what a calibration may be off
    EXPECT_FALSE(contradicted_by({-50, -50}));     // slower is what it is there to tell
}

TEST(ContradictsCalibration, not_by_one_window_or_none) {
    EXPECT_FALSE(contradicted_by({100}));
    EXPECT_FALSE(contradicted_by({}));
    EXPECT_FALSE(contradicts_calibration(std::vector<CpuWindow>(3))); // that soaked nothing
}

TEST(Calibration, finds_a_cpu_by_its_number) {
    Calibration calibration;
    calibration.cpus = {usual::calibration(2), usual::calibration(5)};
    ASSERT_NE(calibration.find(5), nullptr);
    EXPECT_EQ(calibration.find(5)->cpu, 5);
    EXPECT_EQ(calibration.find(0), nullptr);
    EXPECT_EQ(calibration.cpu_list(), (base::CpuList{2, 5}));
}

} // namespace
} // namespace soak
