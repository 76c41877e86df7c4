#pragma once

#include "base/time.h"

#include <cstdint>

namespace loads {

using base::Nanoseconds;

/// Computes for `time` as CLOCK_MONOTONIC counts it; an interruption by an interrupt or another
/// thread counts 1 us at most. Returns what is left: zero or slightly negative.
Nanoseconds spin(Nanoseconds time);

/// A known amount of CPU time per unit, true on average: what one unit got too much or too little
/// the next one gets less or more. The cost of reading the clock is measured and part of it.
class Extra {
  public:
    explicit Extra(Nanoseconds per_unit);
    void spend(int64_t units = 1);

  private:
    Nanoseconds per_unit_;
    Nanoseconds call_cost_{}; ///< CPU time of a spin() beyond what it returns
    Nanoseconds owed_{};
};

} // namespace loads
