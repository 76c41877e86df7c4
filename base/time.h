#pragma once

#include <chrono>

namespace base {

/// Times and durations inside the program: integer nanoseconds.
using Nanoseconds = std::chrono::nanoseconds;

/// Seconds as floating point, for reports and arithmetic at the edge.
inline double to_seconds(Nanoseconds time) { return std::chrono::duration<double>(time).count(); }

inline Nanoseconds from_seconds(double seconds) {
    return std::chrono::round<Nanoseconds>(std::chrono::duration<double>(seconds));
}

/// CLOCK_MONOTONIC: what deadlines and waits are in.
Nanoseconds monotonic_now();
/// CLOCK_MONOTONIC_RAW: what windows are measured against; never slewed.
Nanoseconds monotonic_raw_now();
/// CPU time of the calling thread, by the scheduler's clock.
Nanoseconds thread_cpu_time();
/// Blocks until CLOCK_MONOTONIC reads `deadline`, whatever signals arrive.
void sleep_until(Nanoseconds deadline);

} // namespace base
