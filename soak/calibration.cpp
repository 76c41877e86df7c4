#include "soak/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace soak {
namespace {

constexpr double best_within = 1.02;
/// Fewer chunks of the latency chain in a window give no mean worth comparing.
constexpr int64_t least_chunks = 100;
/// A cold chunk's time varies little; its median is not moved by those that were interrupted.
constexpr double cold_margin = 1.25;
constexpr Ticks yardstick_factor = 4;

double unstalled(const Tally& tally, unsigned kind) {
    return static_cast<double>(tally.chunks[kind].done - tally.chunks[kind].stalled);
}

double mean(const Tally& tally, unsigned kind) {
    return static_cast<double>(tally.chunks[kind].ticks) / unstalled(tally, kind);
}

/// Those in which chunks of `kind` were nearly as fast as in the best.
std::vector<Tally> near_best(const std::vector<Tally>& windows, ChunkKind kind) {
    std::vector<Tally> chosen;
    double best = std::numeric_limits<double>::infinity();
    for (const auto& window : windows)
        best = std::min(best, mean(window, index(kind)));
    for (const auto& window : windows)
        if (mean(window, index(kind)) <= best * best_within) chosen.push_back(window);
    return chosen;
}

/// The windows that nobody disturbed. A neighbour only ever slows us: one on the core the latency
/// chain, one in the cache the walk.
std::vector<Tally> undisturbed(std::span<const Tally> windows) {
    std::vector<Tally> chosen;
    for (const auto& window : windows)
        if (unstalled(window, index(ChunkKind::latency)) >= least_chunks) chosen.push_back(window);
    return near_best(near_best(chosen, ChunkKind::latency), ChunkKind::walk);
}

/// Mean over all chunks of the windows, and how much the windows' own means differ.
void summarise(CpuCalibration& cpu, std::span<const Tally> windows, unsigned kind) {
    double ticks = 0, chunks = 0, squares = 0;
    for (const auto& window : windows) {
        ticks += static_cast<double>(window.chunks[kind].ticks);
        chunks += unstalled(window, kind);
    }
    if (chunks <= 0) return;
    cpu.mean[kind] = ticks / chunks;
    for (const auto& window : windows)
        if (unstalled(window, kind) > 0)
            squares += unstalled(window, kind) * std::pow(mean(window, kind) - cpu.mean[kind], 2);
    cpu.spread[kind] = std::sqrt(squares / chunks);
}

} // namespace

const CpuCalibration* Calibration::find(int cpu) const {
    const auto found = std::find_if(cpus.begin(), cpus.end(),
                                    [&](const auto& candidate) { return candidate.cpu == cpu; });
    return found == cpus.end() ? nullptr : &*found;
}

const CpuCalibration& Calibration::least_sure() const {
    return *std::min_element(cpus.begin(), cpus.end(),
                             [](const auto& a, const auto& b) { return a.windows < b.windows; });
}

bool Calibration::uncertain() const {
    return !cpus.empty() && least_sure().windows < enough_windows;
}

base::CpuList Calibration::cpu_list() const {
    base::CpuList list;
    for (const auto& cpu : cpus)
        list.push_back(cpu.cpu);
    return list;
}

Ticks quantile(std::vector<Ticks> samples, double share) {
    if (samples.empty()) return 0;
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size() - 1));
    std::nth_element(samples.begin(), samples.begin() + at, samples.end());
    return samples[static_cast<size_t>(at)];
}

Limits make_limits(const ChunkSamples& samples, double ticks_per_ns) {
    Limits limits{.ticks_per_ns = ticks_per_ns};
    for (unsigned kind = 0; kind < chunk_kinds; ++kind) {
        limits.nominal[kind] = quantile(samples.warm[kind], 0.5);
        limits.threshold[kind] = yardstick_factor * limits.nominal[kind];
    }
    const auto cold = cold_margin * static_cast<double>(quantile(samples.cold, 0.5));
    auto& walk = limits.threshold[index(ChunkKind::walk)];
    walk = std::max(walk, static_cast<Ticks>(cold));
    limits.reading = Limits::usual_readings * quantile(samples.readings, 0.5);
    return limits;
}

bool fits(const Calibration& calibration, const Timebase& timebase) {
    return calibration.counter == timebase.counter() &&
           std::abs(calibration.ticks_per_ns / timebase.ticks_per_ns() - 1) < 1e-3;
}

bool contradicts_calibration(std::span<const CpuWindow> windows) {
    const auto faster = std::count_if(windows.begin(), windows.end(), [](const auto& window) {
        return -(window.causes.core + window.causes.cache) > window.soaked * 3 / 100;
    });
    const auto telling = std::count_if(windows.begin(), windows.end(), [](const auto& window) {
        return window.soaked > window.elapsed / 100;
    });
    return telling >= 2 && 2 * faster > telling;
}

CpuCalibration calibrate_cpu(int cpu, const ChunkSamples& samples, const Limits& limits,
                             std::span<const Tally> windows) {
    CpuCalibration result{.cpu = cpu, .limits = limits};
    const auto chosen = undisturbed(windows);
    Ticks elapsed = 0, stalled = 0;
    for (const auto& window : windows) {
        elapsed += window.until;
        stalled += window.stall_ticks;
    }
    for (unsigned kind = 0; kind < chunk_kinds; ++kind) {
        result.mean[kind] = static_cast<double>(limits.nominal[kind]);
        summarise(result, chosen, kind);
    }
    result.windows = static_cast<int>(chosen.size());
    if (elapsed > 0)
        result.stolen_ratio = static_cast<double>(stalled) / static_cast<double>(elapsed);
    result.cold = static_cast<double>(quantile(samples.cold, 0.5));
    const auto evicted = static_cast<double>(quantile(samples.evicted, 0.5));
    const auto warm = static_cast<double>(limits.nominal[index(ChunkKind::walk)]);
    result.line_penalty = std::max(0.0, evicted - warm) / lines_per_chunk;
    return result;
}

} // namespace soak
