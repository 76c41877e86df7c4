#include "agent/schedule.h"
#include "demand/carry_over.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace agent {
namespace {

using namespace std::chrono_literals;

/// A host for five minutes: bursts of a load at random, each of which uses the CPU and costs
/// others cache misses; looked at by an agent at its default duty.
struct Stretch {
    static constexpr double length = 300;

    explicit Stretch(uint64_t seed) : random(seed) {
        std::exponential_distribution<double> pause(1 / 0.7), burst(1 / 0.3);
        std::lognormal_distribution<double> misses(std::log(0.05), 0.5);
        for (double at = pause(random); at < length; at += pause(random)) {
            const double end = std::min(length, at + burst(random));
            bursts.push_back({at, end, misses(random)});
            at = end;
        }
    }

    /// Of a time: in bursts, and lost to cache misses.
    struct Sums {
        double busy = 0, cache = 0;
    };
    Sums between(double from, double to) const {
        Sums sums;
        for (const auto& burst : bursts) {
            const double both = std::min(to, burst.end) - std::max(from, burst.begin);
            if (both <= 0) continue;
            sums.busy += both * busy_share;
            sums.cache += both * burst.cache_share;
        }
        return sums;
    }

    static constexpr double busy_share = 0.6;
    struct Burst {
        double begin, end, cache_share;
    };
    std::mt19937_64 random;
    std::vector<Burst> bursts;
};

/// What an agent makes of a stretch; errors against the truth, in seconds.
struct Outcome {
    double error = 0, variance = 0; ///< busy by exact idle time + cache carried over
    double error_by_soaking = 0;    ///< both by windows alone
};

Outcome watch(Stretch& stretch, uint64_t seed) {
    Schedule schedule({0}, {}, seed, 0ns);
    std::vector<soak::CpuWindow> block;
    std::normal_distribution<double> noise(0, 0.0002); // of a window's cache
    demand::SampledSum cache;
    double covered = 0, windows = 0, begin = 0, in_windows = 0;
    for (auto step = schedule.next(); step.at < 300s; step = schedule.next()) {
        schedule.take(step, step.at);
        if (step.what == Schedule::What::begin) begin = base::to_seconds(step.at);
        if (step.what != Schedule::What::read) continue;
        const auto seen = stretch.between(begin, begin + 0.02);
        block.push_back(
            {.elapsed = 20ms,
             .causes = {.cache = base::from_seconds(seen.cache + noise(stretch.random))}});
        in_windows += seen.busy + seen.cache;
        windows += 0.02;
        if (block.size() < demand::windows_per_block) continue;
        const auto time = step.at - base::from_seconds(covered);
        const auto sum = demand::carry_over(std::exchange(block, {}), time);
        covered = base::to_seconds(step.at);
        cache.seconds += sum.seconds;
        cache.variance += sum.variance;
    }
    // Up to the last block's end. The kernel tells idle time in steps of 10 ms.
    const auto truth = stretch.between(0, covered);
    std::uniform_real_distribution<double> step(-0.005, 0.005);
    return {.error = step(stretch.random) + cache.seconds - truth.cache,
            .variance = cache.variance,
            .error_by_soaking = in_windows / windows * covered - truth.busy - truth.cache};
}

TEST(Simulation, of_a_thousand_stretches_its_interval_holds_the_truth_in_95_percent) {
    constexpr int stretches = 1000;
    constexpr double two_standard_errors = 2; // what the documents call its interval
    int inside = 0;
    double sum = 0, squares = 0, squares_by_soaking = 0;
    for (int i = 0; i < stretches; ++i) {
        Stretch stretch(1000 + static_cast<uint64_t>(i));
        const auto outcome = watch(stretch, static_cast<uint64_t>(i));
        inside += std::abs(outcome.error) <= two_standard_errors * std::sqrt(outcome.variance);
        sum += outcome.error;
        squares += outcome.error * outcome.error;
        squares_by_soaking += outcome.error_by_soaking * outcome.error_by_soaking;
    }
    RecordProperty("inside", inside);
    RecordProperty("times_smaller", std::to_string(std::sqrt(squares_by_soaking / squares)));
    EXPECT_GE(inside, 930);
    EXPECT_LE(inside, 970);
    // Unbiased: the mean error is within three of its own standard errors.
    EXPECT_LT(std::abs(sum / stretches), 3 * std::sqrt(squares / stretches / stretches));
    // And windows alone, which see all of it but only for 1 % of the time, are far off.
    EXPECT_GT(squares_by_soaking, 25 * squares);
}

} // namespace
} // namespace agent
