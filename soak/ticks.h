#pragma once

#include "base/time.h"

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace soak {

/// Readings of the clock that chunks are timed with, and differences of them. Signed: two CPUs'
/// counters may be some ticks apart.
using Ticks = int64_t;

/// The CPU's own counter. Ordered behind every load before it: a chunk's misses are inside its time.
struct CounterClock {
    static Ticks now() {
#if defined(__x86_64__)
        _mm_lfence();
        return static_cast<Ticks>(__rdtsc());
#elif defined(__aarch64__)
        Ticks ticks;
        asm volatile("dsb ld\n\tisb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
        return ticks;
#else
        return base::monotonic_raw_now().count();
#endif
    }
};

/// CLOCK_MONOTONIC_RAW in nanoseconds, for machines whose counter cannot be trusted.
struct SystemClock {
    static Ticks now() { return base::monotonic_raw_now().count(); }
};

} // namespace soak
