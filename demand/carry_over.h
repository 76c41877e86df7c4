#pragma once

#include "demand/totals.h"

#include <span>

namespace demand {

/// So many windows make a block: enough for their scatter to say how sure their mean is.
inline constexpr size_t windows_per_block = 10;

/// What a block of windows at random tells of all the time `time` that it stands for: waiting for
/// memory. With n windows of lengths w that lost c each, the estimate is T r with r = sum(c) /
/// sum(w), and its variance
///
///   T² sum((c - r w)²) / (n (n - 1) mean(w)²)
///
/// (ratio estimator, Cochran, Sampling Techniques, 3rd ed., 6.4). Blocks are independent: estimates
/// and variances of several add up.
SampledSum carry_over(std::span<const soak::CpuWindow> block, Nanoseconds time);

} // namespace demand
