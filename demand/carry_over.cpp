#include "demand/carry_over.h"

#include <cmath>

namespace demand {

SampledSum carry_over(std::span<const soak::CpuWindow> block, Nanoseconds time) {
    const auto seconds = base::to_seconds(time);
    const auto n = static_cast<double>(block.size());
    double c = 0, w = 0, squares = 0;
    for (const auto& window : block) {
        c += base::to_seconds(window.causes.cache);
        w += base::to_seconds(window.elapsed);
    }
    const double ratio = c / w;
    for (const auto& window : block)
        squares += std::pow(
            base::to_seconds(window.causes.cache) - ratio * base::to_seconds(window.elapsed), 2);
    return {.seconds = seconds * ratio,
            .variance = seconds * seconds * squares * n / ((n - 1) * w * w)};
}

} // namespace demand
