#pragma once

#include "demand/totals.h"

namespace demand {

/// So many windows make a block: enough for their scatter to say how sure their mean is.
inline constexpr int windows_per_block = 10;

/// What windows at random tell of all the time. With n windows of lengths w that lost c each, in a
/// block that stands for the time T, the estimate is T r with r = sum(c) / sum(w), and its variance
///
///   T² sum((c - r w)²) / (n (n - 1) mean(w)²)
///
/// (ratio estimator, Cochran, Sampling Techniques, 3rd ed., 6.4). Blocks are independent: estimates
/// and variances of several add up.
class CarryOver {
  public:
    void add(double seconds, double window_seconds);
    bool full() const { return count_ >= windows_per_block; }
    /// The block's estimate for the time it stands for. The next block begins. Only when full.
    SampledSum close(double time_seconds);

  private:
    int count_ = 0;
    double c_ = 0, w_ = 0, cc_ = 0, cw_ = 0, ww_ = 0; ///< sums, of squares and products too
};

} // namespace demand
