#pragma once

#include "base/cpu_list.h"
#include "soak/tally.h"
#include "soak/timebase.h"
#include "soak/window.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace soak {

/// What one CPU's chunks take when nothing disturbs them, all soakers running at once. Ticks.
struct CpuCalibration {
    int cpu = 0;
    std::array<double, chunk_kinds> mean{};   ///< mean time of an unstalled chunk
    std::array<double, chunk_kinds> spread{}; ///< standard deviation of the windows' means
    double cold = 0;         ///< median walking chunk whose lines are all in memory
    double line_penalty = 0; ///< extra time to fetch one line that another load evicted
    Limits limits;
    double stolen_ratio = 0; ///< how busy the CPU was meanwhile
    int windows = 0;         ///< how many of the windows were undisturbed enough to count
};

struct Calibration {
    double ticks_per_ns = 1;
    bool counter = true; ///< the ticks are the CPU's counter's, not CLOCK_MONOTONIC_RAW's
    std::vector<CpuCalibration> cpus;
    bool doubtful = false; ///< was contradicted by what was measured with it

    const CpuCalibration* find(int cpu) const;
    base::CpuList cpu_list() const;
    /// The CPU whose calibration rests on the fewest undisturbed windows; there must be one.
    const CpuCalibration& least_sure() const;
    /// Does one of them rest on so few that it may be of a disturbed machine?
    bool uncertain() const;
};

/// So many undisturbed windows make a calibration.
constexpr int enough_windows = 5;

/// Durations of chunks and clock readings as one soaker recorded them, in ticks.
struct ChunkSamples {
    std::array<std::vector<Ticks>, chunk_kinds> warm; ///< on schedule, everything cached
    std::vector<Ticks> cold;     ///< walking chunks after the working set was flushed to memory
    std::vector<Ticks> evicted;  ///< walking chunks after another load went through the cache
    std::vector<Ticks> readings; ///< a look at the thread's CPU clock
};

/// Limits from samples: nominal times are medians; a walking chunk is stalled beyond what a fully
/// cold one takes, a yardstick, which touches no memory, beyond four times its usual time (a busy
/// sibling thread makes it twice as long and is no stall).
Limits make_limits(const ChunkSamples& samples, double ticks_per_ns);

/// One CPU's calibration from samples and from the tallies of many short windows. Only windows
/// whose latency chain and whose walk are within 2 % of the best count: a neighbour can only make
/// them slower.
CpuCalibration calibrate_cpu(int cpu, const ChunkSamples& samples, const Limits& limits,
                             std::span<const Tally> windows);

/// Was it counted by the same clock, at the same rate?
bool fits(const Calibration& calibration, const Timebase& timebase);

/// In most of one CPU's windows, did the soaker get through over 3 % more than the calibration
/// allows? Then that was taken in a slow moment. Needs two windows in which it had over 1 % of
/// the CPU.
bool contradicts_calibration(std::span<const CpuWindow> windows);

/// Value at `share` (0..1) of the sorted samples; 0 without samples.
Ticks quantile(std::vector<Ticks> samples, double share);

} // namespace soak
