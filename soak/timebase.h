#pragma once

#include "base/time.h"
#include "soak/ticks.h"

#include <optional>

namespace soak {

using base::Nanoseconds;

/// The two clocks read together.
struct ClockPair {
    Ticks ticks = 0;
    Nanoseconds raw{}; ///< CLOCK_MONOTONIC_RAW
};

/// Which clock chunks are timed with, and how its ticks become nanoseconds.
class Timebase {
  public:
    /// The CPU's counter if CPUID says it is invariant, else CLOCK_MONOTONIC_RAW. Its rate is
    /// measured against CLOCK_MONOTONIC_RAW for `patience`; if the rate is not steady meanwhile
    /// the counter is not used.
    static Timebase measure(Nanoseconds patience = std::chrono::milliseconds(40));
    /// CLOCK_MONOTONIC_RAW itself: one tick a nanosecond.
    static Timebase system() { return {false, 1.0}; }

    Timebase(bool counter, double ticks_per_ns) : counter_(counter), ticks_per_ns_(ticks_per_ns) {}

    bool counter() const { return counter_; }
    double ticks_per_ns() const { return ticks_per_ns_; }
    double ns(double ticks) const { return ticks / ticks_per_ns_; }
    Nanoseconds duration(double ticks) const;
    Ticks ticks(Nanoseconds time) const;

    Ticks now() const { return counter_ ? CounterClock::now() : SystemClock::now(); }
    /// Both clocks, the closest of a few tries.
    ClockPair read_pair() const;

    /// Does the counter still run at its rate between two readings? Tolerates 200 ppm and 5 us:
    /// far more than clocks drift, far less than a migrated guest's counter leaps.
    bool agrees(const ClockPair& earlier, const ClockPair& later) const;

  private:
    bool counter_;
    double ticks_per_ns_;
};

/// Does the CPU promise a counter of constant rate that never stops? (CPUID 8000_0007h EDX bit 8;
/// aarch64's generic timer always does.)
bool has_invariant_counter();

} // namespace soak
