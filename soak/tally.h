#pragma once

#include "soak/chunk.h"
#include "soak/ticks.h"

#include <array>
#include <cstdint>

namespace soak {

/// What a soaker has counted since it was last told to soak, in ticks. Everything adds up to the
/// tick: until - begin = sum over kinds of (ticks + stalled * nominal) + stall_ticks + own_ticks.
struct Tally {
    struct Chunks {
        int64_t done = 0;    ///< all chunks
        int64_t stalled = 0; ///< of which were interrupted by a stall
        Ticks ticks = 0;     ///< time of those that were not
        bool operator==(const Chunks&) const = default;
    };
    std::array<Chunks, chunk_kinds> chunks{};
    Ticks stall_ticks = 0; ///< beyond the nominal chunk, all stalls
    Ticks task_ticks = 0;  ///< of which other threads ran
    Ticks short_ticks = 0; ///< of which stalls of yardsticks too short to show in a walking chunk
    Ticks clock_stop_ticks = 0; ///< thread clock stood still though no other thread ran
    Ticks own_ticks = 0;        ///< clock readings
    /// Unstalled throughput blocks that took longer than Limits::alone_block().
    int64_t contended_blocks = 0;
    Ticks begin = 0; ///< the edge it began at; tells this soaking from others
    Ticks until = 0; ///< all time before this is in the sums above

    int64_t stalls() const;
    int64_t chunks_done() const;
    bool operator==(const Tally&) const = default;
};

/// Change of every sum within one soaking; `until` becomes the time between.
Tally operator-(const Tally& later, const Tally& earlier);

/// The nominal times and limits by which chunks are sorted; from calibration.
struct Limits {
    std::array<Ticks, chunk_kinds> nominal{};   ///< a chunk's usual time
    std::array<Ticks, chunk_kinds> threshold{}; ///< longer is a stall
    Ticks reading = 0; ///< a clock reading that took longer was interrupted itself
    /// So many usual ones.
    static constexpr Ticks usual_readings = 3;
    double ticks_per_ns = 1;

    Ticks walk_threshold() const { return threshold[index(ChunkKind::walk)]; }
    /// The longest throughput block of a soaker that has the core to itself. One that shared it with
    /// a busy thread takes about twice the nominal time: this is half way.
    Ticks alone_block() const {
        const Ticks usual = nominal[index(ChunkKind::throughput)];
        return usual + usual / 2;
    }
};

} // namespace soak
