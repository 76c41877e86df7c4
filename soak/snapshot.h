#pragma once

#include "base/cpu_list.h"
#include "soak/calibration.h"
#include "soak/split.h"
#include "soak/timebase.h"
#include "soak/window.h"

#include <string>
#include <vector>

namespace soak {

/// All soakers at one moment.
struct Snapshot {
    ClockPair time;
    std::vector<CpuSnapshot> cpus;
    Nanoseconds own_cpu{}; ///< CPU time of the calling thread
    int own_place = 0;     ///< the CPU it is on
};

/// One window a CPU that could be seen; CPUs that went offline are left out.
struct Windows {
    std::vector<CpuWindow> cpus;
    Nanoseconds elapsed{}; ///< by CLOCK_MONOTONIC_RAW, to check theirs by
    /// Empty, or why the window says nothing: "clock" (the counter and CLOCK_MONOTONIC_RAW
    /// disagree), "soakers-ended", and what callers add.
    std::string discarded;
};

/// A soaker of which the tally `read` is the newest, at `read_at`; it was last told to soak from
/// `begin` on. Its gap is closed.
CpuSnapshot make_cpu_snapshot(const Tally& read, Ticks begin, Ticks read_at, const Limits& limits);

/// The time between two snapshots of the soakers of `cpus`, split; the time of our own thread is
/// moved to `own`. CPUs that are not in the calibration have no window.
Windows make_windows(const Snapshot& earlier, const Snapshot& later, const base::CpuList& cpus,
                     const Calibration& calibration, const Timebase& timebase);

} // namespace soak
