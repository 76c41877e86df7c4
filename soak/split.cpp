#include "soak/split.h"

#include <algorithm>

namespace soak {
namespace {

constexpr auto walk = index(ChunkKind::walk);
constexpr auto latency = index(ChunkKind::latency);
constexpr auto throughput = index(ChunkKind::throughput);

struct Observed {
    double unstalled = 0;            ///< chunks
    double ticks = 0;                ///< their time
    std::optional<double> slow_down; ///< observed mean / calibrated mean
};

Observed observe(const Tally& change, const CpuCalibration& calibration, unsigned kind) {
    const auto& chunks = change.chunks[kind];
    Observed observed{.unstalled = static_cast<double>(chunks.done - chunks.stalled),
                      .ticks = static_cast<double>(chunks.ticks)};
    if (observed.unstalled > 0 && calibration.mean[kind] > 0)
        observed.slow_down = observed.ticks / observed.unstalled / calibration.mean[kind];
    return observed;
}

double soaked_ticks(const Tally& change, const CpuCalibration& calibration) {
    double ticks = 0;
    for (unsigned kind = 0; kind < chunk_kinds; ++kind)
        ticks += static_cast<double>(change.chunks[kind].done) * calibration.mean[kind];
    return ticks;
}

/// Time of walking chunks that went to stalls too short to tell from a cold chunk: yardsticks see
/// them, and they hit both alike.
double hidden_ticks(const Tally& change, double walk_ticks, double yardstick_ticks) {
    if (yardstick_ticks <= 0) return 0;
    return static_cast<double>(change.short_ticks) * walk_ticks / yardstick_ticks;
}

} // namespace

double core_slow_down(double latency_ratio, double walk_ratio) {
    if (latency_ratio > 1 && walk_ratio > 1) return std::min(latency_ratio, walk_ratio);
    if (latency_ratio < 1 && walk_ratio < 1) return std::max(latency_ratio, walk_ratio);
    return 1;
}

Tally close_gap(const CpuSnapshot& snapshot, const Limits& limits) {
    Tally tally = snapshot.tally;
    const Ticks gap = snapshot.read_at - tally.until;
    if (gap <= limits.walk_threshold()) return tally;
    tally.stall_ticks += gap;
    tally.task_ticks += gap;
    tally.until += gap;
    return tally;
}

CpuWindow split(const Tally& change, const CpuCalibration& calibration, const Timebase& timebase) {
    const auto walked = observe(change, calibration, walk);
    const auto chain = observe(change, calibration, latency);
    const auto block = observe(change, calibration, throughput);
    const double soaked = soaked_ticks(change, calibration);
    const double c = core_slow_down(chain.slow_down.value_or(1), walked.slow_down.value_or(1));
    const double hidden = hidden_ticks(change, walked.ticks, chain.ticks + block.ticks);
    const double slower = walked.ticks - walked.unstalled * calibration.mean[walk] * c;

    CpuWindow window{.cpu = calibration.cpu, .stalls = static_cast<uint64_t>(change.stalls())};
    const auto time = [&](auto ticks) { return timebase.duration(static_cast<double>(ticks)); };
    window.elapsed = time(change.until);
    window.soaked = time(soaked);
    window.own = time(change.own_ticks);
    window.clock_stopped = time(change.clock_stop_ticks);
    window.stolen = window.elapsed - window.soaked - window.own;
    auto& causes = window.causes;
    causes.tasks = time(change.task_ticks);
    causes.interrupts = time(static_cast<double>(change.stall_ticks - change.task_ticks) + hidden);
    causes.core = time(soaked * (c - 1));
    causes.cache = time(slower - hidden);
    causes.unexplained =
        window.stolen - causes.tasks - causes.interrupts - causes.core - causes.cache;
    if (block.slow_down) window.core_share_ratio = 1 / *block.slow_down;
    window.throughput_blocks = static_cast<uint64_t>(block.unstalled);
    window.contended_blocks = static_cast<uint64_t>(change.contended_blocks);
    return window;
}

Nanoseconds move_to_own(CpuWindow& window, Nanoseconds time) {
    const auto moved =
        std::clamp(time, Nanoseconds::zero(), std::max(window.causes.tasks, Nanoseconds::zero()));
    window.causes.tasks -= moved;
    window.stolen -= moved;
    window.own += moved;
    return moved;
}

} // namespace soak
