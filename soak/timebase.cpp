#include "soak/timebase.h"

#include <cmath>
#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace soak {
namespace {

/// Ticks per nanosecond between two readings.
double rate(const ClockPair& a, const ClockPair& b) {
    return static_cast<double>(b.ticks - a.ticks) / static_cast<double>((b.raw - a.raw).count());
}

} // namespace

bool has_invariant_counter() {
#if defined(__x86_64__)
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1u << 8)) != 0;
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

Timebase Timebase::measure(Nanoseconds patience) {
    if (!has_invariant_counter()) return system();
    const Timebase counter(true, 1.0);
    const auto begin = counter.read_pair();
    base::sleep_until(base::monotonic_now() + patience / 2);
    const auto middle = counter.read_pair();
    base::sleep_until(base::monotonic_now() + patience / 2);
    const auto end = counter.read_pair();
    if (end.ticks <= begin.ticks) return system();
    const Timebase measured(true, rate(begin, end));
    return measured.agrees(begin, middle) && measured.agrees(middle, end) ? measured : system();
}

Nanoseconds Timebase::duration(double ticks) const {
    return Nanoseconds(std::llround(ticks / ticks_per_ns_));
}

Ticks Timebase::ticks(Nanoseconds time) const {
    return std::llround(static_cast<double>(time.count()) * ticks_per_ns_);
}

ClockPair Timebase::read_pair() const {
    ClockPair best;
    Ticks closest = std::numeric_limits<Ticks>::max();
    for (int i = 0; i < 5; ++i) {
        const Ticks before = now();
        const auto raw = base::monotonic_raw_now();
        const Ticks after = now();
        if (after - before < closest) {
            closest = after - before;
            best = {before + (after - before) / 2, raw};
        }
    }
    return best;
}

bool Timebase::agrees(const ClockPair& earlier, const ClockPair& later) const {
    const auto raw = later.raw - earlier.raw;
    const auto counted = duration(static_cast<double>(later.ticks - earlier.ticks));
    return std::chrono::abs(counted - raw) <= raw / 5000 + std::chrono::microseconds(5);
}

} // namespace soak
