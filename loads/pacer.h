#pragma once

#include "base/time.h"

#include <cstdint>

namespace loads {

using base::Nanoseconds;

/// Deadlines for a fixed rate: unit n is due at start + n / rate, so that lateness never adds up.
/// Who falls behind catches up without waiting, but by no more than `patience` worth of units:
/// what is later than that is given up.
class Pacer {
  public:
    static constexpr Nanoseconds patience = std::chrono::milliseconds(100);

    Pacer(double units_per_second, Nanoseconds start) : rate_(units_per_second), start_(start) {}

    /// Takes the next `units`; returns when they are due (at or before `now`: at once).
    Nanoseconds next(int64_t units, Nanoseconds now);

  private:
    double rate_;
    Nanoseconds start_;
    int64_t taken_ = 0;
};

} // namespace loads
