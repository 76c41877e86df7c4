#pragma once

namespace demand {

/// Bytes in the KB of service demand.
inline constexpr double bytes_per_kb = 1024;

/// CPU seconds per unit, netperf's definition: the part of all CPUs that is used (0..1) times their
/// number, over units per second. netperf's own form, SD [µs] = utilisation% * 10000 / rate * CPUs,
/// is the same in other units.
constexpr double service_demand(double utilisation_ratio, double units_per_second, int cpus) {
    return utilisation_ratio * cpus / units_per_second;
}

/// Seconds per unit at a rate.
constexpr double seconds_per_unit(double units_per_second) { return 1 / units_per_second; }

/// By how many seconds a unit costs more in B than in A, where one thread does nothing else. Above
/// 0: B costs more.
constexpr double cost_difference(double a_per_second, double b_per_second) {
    return seconds_per_unit(b_per_second) - seconds_per_unit(a_per_second);
}

/// What Ethernet puts around a frame on the wire: preamble, start of frame, gap between frames.
inline constexpr double wire_overhead_bytes = 20;

/// Seconds between frames of that size (64 to 1518, checksum included) at line rate.
constexpr double frame_budget(double frame_bytes, double bits_per_second) {
    return (frame_bytes + wire_overhead_bytes) * 8 / bits_per_second;
}

} // namespace demand
