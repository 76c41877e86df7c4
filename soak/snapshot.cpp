#include "soak/snapshot.h"

namespace soak {
namespace {

/// Our own thread ran where it is now, mostly; what does not fit there ran elsewhere.
void move_own_thread(std::vector<CpuWindow>& windows, Nanoseconds own, int place) {
    for (auto& window : windows)
        if (window.cpu == place) own -= move_to_own(window, own);
    if (windows.size() == 1) return; // the CPUs beside it may have no soaker
    for (auto& window : windows)
        own -= move_to_own(window, own);
}

} // namespace

CpuSnapshot make_cpu_snapshot(const Tally& read, Ticks begin, Ticks read_at, const Limits& limits) {
    CpuSnapshot snapshot{.tally = read, .read_at = read_at, .begun = read.begin == begin};
    // Told to soak and not on the CPU since: this soaking began all the same.
    if (!snapshot.begun) snapshot.tally = {.begin = begin, .until = begin};
    snapshot.tally = close_gap(snapshot, limits);
    return snapshot;
}

Windows make_windows(const Snapshot& earlier, const Snapshot& later, const base::CpuList& cpus,
                     const Calibration& calibration, const Timebase& timebase) {
    if (!timebase.agrees(earlier.time, later.time)) return {.discarded = "clock"};
    Windows windows{.elapsed = later.time.raw - earlier.time.raw};
    for (size_t i = 0; i < cpus.size(); ++i) {
        const auto* cpu = calibration.find(cpus[i]);
        if (!cpu || later.cpus[i].displaced) continue;
        windows.cpus.push_back(split(later.cpus[i].tally - earlier.cpus[i].tally, *cpu, timebase));
    }
    move_own_thread(windows.cpus, later.own_cpu - earlier.own_cpu, later.own_place);
    return windows;
}

} // namespace soak
