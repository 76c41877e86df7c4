#pragma once

#include "soak/calibration.h"
#include "soak/tally.h"
#include "soak/timebase.h"
#include "soak/window.h"

namespace soak {

/// A soaker's tally as the parent read it at one moment.
struct CpuSnapshot {
    Tally tally;
    Ticks read_at = 0;      ///< when, by the parent's clock; the edge, for a soaker told to park
    bool begun = true;      ///< has it been on the CPU since it was last told to soak?
    bool displaced = false; ///< it found itself on a foreign CPU
};

/// Counts the gap that is open at the snapshot: a soaker that is off the CPU has not yet told of
/// it. Taken as other threads' time until the soaker itself has closed and sorted it; the next
/// window corrects the difference, since both windows' ends contain the same gap. A gap shorter
/// than a stall is a chunk under way and is left to the next window.
Tally close_gap(const CpuSnapshot& snapshot, const Limits& limits);

/// Splits the time between two readings of one soaker (DESIGN of the split: docs/measurement.md).
/// `change`: difference of two tallies with their gaps closed.
///
///   soaked      = chunks done x their calibrated time
///   stolen      = elapsed - soaked - own
///   tasks       = the stalls' time in which other threads ran
///   interrupts  = the stalls' other time, and the share of walking time that short stalls take,
///                 estimated from yardsticks
///   core        = soaked x (c - 1), c the latency chain's slow-down bounded by the walk's own
///   cache       = unstalled walking chunks x (observed - calibrated x c), less the short stalls
///   unexplained = stolen - all of these
CpuWindow split(const Tally& change, const CpuCalibration& calibration, const Timebase& timebase);

/// Slow-down of the core: between 1 and the walk's slow-down where both point the same way, else 1.
double core_slow_down(double latency_ratio, double walk_ratio);

/// Moves up to `time` from tasks to own: our own threads ran on that CPU. Returns what was moved.
Nanoseconds move_to_own(CpuWindow& window, Nanoseconds time);

} // namespace soak
