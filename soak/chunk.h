#pragma once

#include "soak/working_set.h"

#include <cstdint>

namespace soak {

/// The kinds of chunk, the smallest unit of soaking work.
enum class ChunkKind : unsigned {
    walk,       ///< visits lines of the working set
    latency,    ///< yardstick: one chain of multiplications; a slower core makes it longer
    throughput, ///< yardstick: independent chains; a busy sibling thread makes it longer
};
constexpr unsigned chunk_kinds = 3;
constexpr unsigned index(ChunkKind kind) { return static_cast<unsigned>(kind); }

/// Every sixteenth chunk is a yardstick, the two in turn.
constexpr ChunkKind scheduled_chunk(uint32_t number) {
    if (number % 16 != 15) return ChunkKind::walk;
    return number % 32 == 15 ? ChunkKind::latency : ChunkKind::throughput;
}

/// Lines that a walking chunk visits. Few enough that a fully cold chunk stays in the
/// microseconds, or refills would be taken for stalls.
constexpr unsigned lines_per_chunk = 32;
/// Steps of the yardsticks, of about 100 ns each on a 3 GHz core.
constexpr unsigned latency_steps = 100;
constexpr unsigned throughput_steps = 100;

/// Keeps the compiler from knowing, dropping or reordering `value`.
template <typename Value>
inline void opaque(Value& value) {
    asm volatile("" : "+r"(value)::"memory");
}

/// A step waits for the one before it, and no core can fold multiplications.
inline void run_latency_chain() {
    uint64_t x = 1;
    for (unsigned i = 0; i < latency_steps; ++i) {
        x *= 0x9e3779b97f4a7c15u;
        opaque(x);
    }
}

/// Six chains side by side: more than a core can issue in a cycle.
inline void run_throughput_block() {
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
    for (unsigned i = 0; i < throughput_steps; ++i) {
        a = (a << 7) | (a >> 57), b = (b << 7) | (b >> 57), c = (c << 7) | (c >> 57);
        d = (d << 7) | (d >> 57), e = (e << 7) | (e >> 57), f = (f << 7) | (f >> 57);
        asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    }
}

/// Each line says where the next one is, so the visits cannot overlap; one in five writes, as the
/// ancestor's did.
inline void run_walk(WorkingSet& set) {
    if (set.empty()) return run_latency_chain();
    WorkingSet::Line* line = set.position;
    for (unsigned i = 0; i < lines_per_chunk; ++i) {
        line = line->next;
        if (i % 5 == 0) line->visits = line->visits + 1;
    }
    opaque(line);
    set.position = line;
}

inline void run_chunk(ChunkKind kind, WorkingSet& set) {
    switch (kind) {
    case ChunkKind::walk:
        return run_walk(set);
    case ChunkKind::latency:
        return run_latency_chain();
    case ChunkKind::throughput:
        return run_throughput_block();
    }
}

} // namespace soak
