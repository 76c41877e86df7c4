#include "soak/tally.h"

namespace soak {

int64_t Tally::stalls() const {
    int64_t sum = 0;
    for (const auto& kind : chunks)
        sum += kind.stalled;
    return sum;
}

int64_t Tally::chunks_done() const {
    int64_t sum = 0;
    for (const auto& kind : chunks)
        sum += kind.done;
    return sum;
}

Tally operator-(const Tally& later, const Tally& earlier) {
    Tally change{.begin = earlier.until};
    for (unsigned kind = 0; kind < chunk_kinds; ++kind) {
        const auto &a = earlier.chunks[kind], &b = later.chunks[kind];
        change.chunks[kind] = {b.done - a.done, b.stalled - a.stalled, b.ticks - a.ticks};
    }
    change.stall_ticks = later.stall_ticks - earlier.stall_ticks;
    change.task_ticks = later.task_ticks - earlier.task_ticks;
    change.short_ticks = later.short_ticks - earlier.short_ticks;
    change.clock_stop_ticks = later.clock_stop_ticks - earlier.clock_stop_ticks;
    change.own_ticks = later.own_ticks - earlier.own_ticks;
    change.contended_blocks = later.contended_blocks - earlier.contended_blocks;
    change.until = later.until - earlier.until;
    return change;
}

} // namespace soak
