#include "demand/core_share.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace demand {

bool contended(const soak::CpuWindow& window) {
    constexpr double usual = 0.01, after_stalls = 0.15, few = 3;
    const auto blocks = static_cast<double>(window.throughput_blocks);
    const double stalls = std::min(static_cast<double>(window.stalls), blocks);
    return static_cast<double>(window.contended_blocks) >
           usual * blocks + after_stalls * stalls + few;
}

double least_undisturbed_share(std::vector<double> shares) {
    constexpr double best = 0.9, tolerance = 0.02;
    if (shares.empty()) return 0;
    const double rank = std::round(best * static_cast<double>(shares.size() - 1));
    const auto at = shares.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(shares.begin(), at, shares.end());
    return *at * (1 - tolerance);
}

} // namespace demand
