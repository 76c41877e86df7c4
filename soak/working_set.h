#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace soak {

/// The memory a soaker walks: a single cycle through all lines in a shuffled order, so that no
/// prefetcher hides a miss. Does not own the memory.
struct WorkingSet {
    struct alignas(64) Line {
        Line* next;
        uint64_t visits;
    };
    std::span<Line> lines;
    Line* position = nullptr; ///< where the next chunk goes on

    bool empty() const { return lines.empty(); }
};

/// Lays the cycle into `memory` (64-byte aligned; a rest below a line is left alone), which also
/// touches all of it. The order is the same for the same `seed`.
WorkingSet make_working_set(std::span<std::byte> memory, uint64_t seed);

/// Throws the lines out of every cache, to memory.
void flush_lines(std::span<WorkingSet::Line> lines);

} // namespace soak
