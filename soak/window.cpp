#include "soak/window.h"

namespace soak {
namespace {

std::optional<Nanoseconds> sum(std::optional<Nanoseconds> a, std::optional<Nanoseconds> b) {
    if (!a || !b) return a ? a : b;
    return *a + *b;
}

std::optional<double> weighted(const CpuWindow& a, const CpuWindow& b) {
    if (!a.core_share_ratio || !b.core_share_ratio)
        return a.core_share_ratio ? a.core_share_ratio : b.core_share_ratio;
    const double weight_a = base::to_seconds(a.elapsed), weight_b = base::to_seconds(b.elapsed);
    if (weight_a + weight_b <= 0) return a.core_share_ratio;
    return (*a.core_share_ratio * weight_a + *b.core_share_ratio * weight_b) /
           (weight_a + weight_b);
}

Causes operator+(const Causes& a, const Causes& b) {
    return {.tasks = a.tasks + b.tasks,
            .interrupts = a.interrupts + b.interrupts,
            .hypervisor = sum(a.hypervisor, b.hypervisor),
            .core = a.core + b.core,
            .cache = a.cache + b.cache,
            .unexplained = a.unexplained + b.unexplained};
}

} // namespace

CpuWindow operator+(const CpuWindow& a, const CpuWindow& b) {
    return {.cpu = a.cpu,
            .elapsed = a.elapsed + b.elapsed,
            .soaked = a.soaked + b.soaked,
            .own = a.own + b.own,
            .stolen = a.stolen + b.stolen,
            .causes = a.causes + b.causes,
            .core_share_ratio = weighted(a, b),
            .stalls = a.stalls + b.stalls,
            .throughput_blocks = a.throughput_blocks + b.throughput_blocks,
            .contended_blocks = a.contended_blocks + b.contended_blocks,
            .clock_stopped = a.clock_stopped + b.clock_stopped};
}

} // namespace soak
