#pragma once

#include "soak/tally.h"

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace soak {

/// Wall clock, thread CPU clock, wall clock, read in that order.
struct Reading {
    Ticks before = 0;
    int64_t cpu_ns = 0;
    Ticks after = 0;
    bool operator==(const Reading&) const = default;
};

/// Sorts a soaker's time: chunk by chunk, with no view of the system but what it is told. The same
/// sequence of calls and readings always gives the same tally.
///
/// A stall in which other threads ran is told by `switched` (rseq). Then the thread's CPU clock
/// says for how long, and no more than the stall itself: after a remote wake-up the kernel charges
/// the woken task while the soaker still runs.
class Accountant {
  public:
    /// `ReadClocks`: returns a Reading; called only where one is needed, each costs a system call.
    template <std::invocable ReadClocks>
    void begin(Ticks at, const Limits& limits, ReadClocks&& read_clocks);

    /// A chunk ended at `now`. `switched`: the kernel ran something else since the last call.
    template <std::invocable ReadClocks>
    void chunk_done(ChunkKind kind, Ticks now, bool switched, ReadClocks&& read_clocks) {
        // The flag can come one chunk before the gap shows: it waits for the next stall.
        switched_ |= switched;
        const Ticks took = now - tally_.until;
        ++tally_.chunks[index(kind)].done;
        if (took <= limits_.threshold[index(kind)]) [[likely]] {
            add_unstalled(kind, took);
            tally_.until = now;
        } else {
            stalled(kind, now, read_clocks);
        }
    }

    /// The command to stop came for the time `edge`, and the chunk at hand ended at or after it:
    /// accounts up to the edge and not a tick further.
    template <std::invocable ReadClocks>
    void end(ChunkKind kind, Ticks edge, bool switched, ReadClocks&& read_clocks);

    const Tally& tally() const { return tally_; }

    /// All that it remembers from call to call: with this a replay goes on behind a hole in its
    /// recording.
    struct State {
        Tally tally;
        Reading reference;
        bool switched = false;
        bool clock_stops = false;
        bool operator==(const State&) const = default;
    };
    State state() const { return {tally_, reference_, switched_, clock_stops_}; }
    void resume(const State& state, const Limits& limits);

    /// How often a call reads the clocks again at most, if readings are interrupted.
    static constexpr int most_tries = 8;

  private:
    void add_unstalled(ChunkKind kind, Ticks took) {
        tally_.chunks[index(kind)].ticks += took;
        if (kind == ChunkKind::throughput && took > limits_.alone_block())
            ++tally_.contended_blocks;
    }
    template <typename ReadClocks>
    void stalled(ChunkKind kind, Ticks now, ReadClocks& read_clocks);
    template <typename ReadClocks>
    Reading take_reading(ReadClocks& read_clocks, Ticks& interrupted);
    Ticks stopped_since_reference(const Reading& reading);
    void add_stall(ChunkKind kind, Ticks stall, Ticks task);

    /// How often the thread clock is looked at though nothing else ran, to see whether it stops.
    static constexpr double reference_age_ns = 10e6;

    Limits limits_;
    Tally tally_;
    Reading reference_;
    bool switched_ = false;
    /// The thread clock was seen to stop for interrupts or a hypervisor (the kernel accounts for
    /// them): then every stall is looked at, or the next switch would be charged with them.
    bool clock_stops_ = false;
};

template <std::invocable ReadClocks>
void Accountant::begin(Ticks at, const Limits& limits, ReadClocks&& read_clocks) {
    limits_ = limits;
    tally_ = {.begin = at, .until = at};
    reference_ = read_clocks();
    // From the edge to the first instruction the CPU was somebody else's.
    const Ticks waited = std::max<Ticks>(0, reference_.before - at);
    tally_.stall_ticks = waited;
    tally_.task_ticks = waited;
    tally_.own_ticks = reference_.after - at - waited;
    tally_.until = reference_.after;
    switched_ = false;
    clock_stops_ = false;
}

template <std::invocable ReadClocks>
void Accountant::end(ChunkKind kind, Ticks edge, bool switched, ReadClocks&& read_clocks) {
    const Ticks took = edge - tally_.until;
    if (took <= 0) return;
    ++tally_.chunks[index(kind)].done;
    tally_.until = edge;
    if (took <= limits_.threshold[index(kind)]) {
        add_unstalled(kind, took);
    } else {
        // Off the CPU at the edge the thread's clock stood still from before it until now.
        switched_ |= switched;
        const Ticks stopped =
            switched_ ? stopped_since_reference({edge, read_clocks().cpu_ns, edge}) : 0;
        add_stall(kind, took - limits_.nominal[index(kind)], stopped);
    }
}

template <typename ReadClocks>
void Accountant::stalled(ChunkKind kind, Ticks now, ReadClocks& read_clocks) {
    Ticks stall = now - tally_.until - limits_.nominal[index(kind)];
    tally_.until = now;
    const double age = static_cast<double>(now - reference_.after);
    if (!switched_ && !clock_stops_ && age < reference_age_ns * limits_.ticks_per_ns)
        return add_stall(kind, stall, 0);
    Ticks interrupted = 0;
    const Ticks stopped = stopped_since_reference(take_reading(read_clocks, interrupted));
    stall += interrupted;
    if (switched_) return add_stall(kind, stall, stopped);
    tally_.clock_stop_ticks += stopped;
    clock_stops_ = stopped > limits_.reading;
    add_stall(kind, stall, 0);
}

inline void Accountant::resume(const State& state, const Limits& limits) {
    limits_ = limits;
    tally_ = state.tally;
    reference_ = state.reference;
    switched_ = state.switched;
    clock_stops_ = state.clock_stops;
}

inline void Accountant::add_stall(ChunkKind kind, Ticks stall, Ticks task) {
    ++tally_.chunks[index(kind)].stalled;
    tally_.stall_ticks += stall;
    tally_.task_ticks += std::clamp<Ticks>(task, 0, stall);
    const Ticks walk_nominal = limits_.nominal[index(ChunkKind::walk)];
    if (kind != ChunkKind::walk && !switched_ && walk_nominal + stall <= limits_.walk_threshold())
        tally_.short_ticks += stall;
    switched_ = false;
}

/// A reading that was interrupted itself says nothing: but for what it usually takes its time belongs
/// to the stall, and it is taken again.
template <typename ReadClocks>
Reading Accountant::take_reading(ReadClocks& read_clocks, Ticks& interrupted) {
    for (int tries = 0;; ++tries) {
        const Reading reading = read_clocks();
        const Ticks took = reading.after - tally_.until;
        tally_.until = reading.after;
        const bool undisturbed = took <= limits_.reading;
        const Ticks own = undisturbed ? took : limits_.reading / Limits::usual_readings;
        tally_.own_ticks += own;
        interrupted += took - own;
        if (undisturbed || tries == most_tries) return reading;
    }
}

/// Time since the last good reading in which the thread's clock stood still. This one is the next
/// one's reference.
inline Ticks Accountant::stopped_since_reference(const Reading& reading) {
    const auto cpu = static_cast<double>(reading.cpu_ns - reference_.cpu_ns) * limits_.ticks_per_ns;
    const Ticks wall = reading.before - reference_.before;
    reference_ = reading;
    return wall - static_cast<Ticks>(cpu);
}

} // namespace soak
