#pragma once

#include "base/time.h"
#include "base/warning.h"
#include "probes/counters.h"
#include "probes/own_usage.h"
#include "soak/stall_counts.h"
#include "soak/window.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace demand {

using base::Nanoseconds;

/// A sum that is known by samples: its estimate and the variance of that, in seconds and seconds².
struct SampledSum {
    double seconds = 0;
    double variance = 0;
};

/// One CPU since the agent began. Nothing here ever falls but `windows` and its causes, which are
/// signed.
struct CpuTotals {
    int cpu = 0;
    /// Time over which `busy` and `steal` are counted: all of it, but for pauses in which somebody
    /// else soaked.
    Nanoseconds accounted{};
    /// accounted - idle time - the soakers' own CPU time. Absent: idle time is not exact here.
    std::optional<Nanoseconds> busy;
    Nanoseconds steal{}; ///< what the hypervisor admits to
    /// What the kernel's ticks took for busy, which is what `top` shows; minus the soakers' own.
    Nanoseconds tick_busy{};
    /// The sum of all windows in which the CPU was soaked; elapsed is the time observed so.
    soak::CpuWindow windows;
    /// `cache` of the windows without strangers on the core, carried over to all the time around
    /// them, where windows were found not to disturb what ran; and how much time that was.
    SampledSum cache;
    Nanoseconds carried_over{};
};

/// Adds all that two CPUs counted; busy is known where it is of both.
CpuTotals operator+(const CpuTotals& a, const CpuTotals& b);

/// What happened in windows, or between them, for the two to be compared.
struct Activity {
    Nanoseconds time{};
    uint64_t packets = 0;
    uint64_t reschedule = 0, function_call = 0; ///< RES and CAL, all CPUs
};

/// A network device since the agent first saw it, over accounted time.
using DeviceTotals = probes::DeviceCounters;

using soak::stall_bounds;

/// Stalls of soaked windows, all CPUs.
using StallHistogram = soak::StallCounts;

/// The best first.
enum class CalibrationState { good, uncertain, doubtful, missing };

/// A window that was kept.
struct RecentWindow {
    Nanoseconds start{}; ///< of the same clock as Totals::time
    soak::CpuWindow window;
};

/// All that an agent has counted, at one moment; immutable once it is published.
struct Totals {
    Nanoseconds time{};      ///< CLOCK_MONOTONIC_RAW of the reading
    double unix_seconds = 0; ///< the wall clock's, as a label only
    std::string yielding;    ///< "cgroup", ...
    double duty_ratio = 0;   ///< share of the time in which a CPU is soaked, as was asked for
    std::vector<CpuTotals> cpus;
    /// The sum of what CPUs had counted when they went away, for sums over CPUs not to fall. One
    /// that comes back begins at zero among `cpus`.
    CpuTotals departed{.busy = Nanoseconds()};
    std::vector<DeviceTotals> devices;  ///< those that are there now, by index
    probes::ProtocolCounters protocols; ///< over accounted time
    Activity inside, outside;           ///< of windows
    /// Do the rate of packets and the interrupts per packet agree inside and outside? Absent: not
    /// enough windows yet.
    std::optional<bool> undisturbed;
    StallHistogram stalls;
    uint64_t windows = 0; ///< kept
    /// Of these, those in which a stranger was on the core, a neighbour of this virtual machine: what
    /// waited for memory in them is not the host's. Absent: strangers cannot be told here.
    std::optional<uint64_t> windows_beside_strangers;
    std::map<std::string, uint64_t> discarded; ///< thrown away, by reason
    Nanoseconds soakers_cpu{};                 ///< CPU time of all soakers, calibrating included
    Nanoseconds paused{};                      ///< in favour of a measurement on this host
    std::string obstacle; ///< why nothing is counted just now, for people; empty: it is
    uint64_t soaker_restarts = 0;
    CalibrationState calibration = CalibrationState::missing;
    double calibration_unix_seconds = 0;     ///< of the oldest CPU's; 0: never
    probes::OwnUsage own;                    ///< of the agent's process, without the soakers
    std::map<std::string, std::string> host; ///< "kernel", "cpu_model", "governor", ...
    std::vector<RecentWindow> recent;        ///< the latest, oldest first
    base::Warnings warnings;
};

/// Over all CPUs, also those that have gone.
CpuTotals sum_of_cpus(const Totals& totals);

using PublishedTotals = std::shared_ptr<const Totals>;

} // namespace demand
