#pragma once

#include "soak/accountant.h"
#include "tests/soak/usual.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <utility>

/// A soaker whose chunks, interruptions and clock readings are told by a script. Keeps the clocks
/// of the machine it stands for: the wall clock, and the thread's CPU clock as the kernel charges
/// it. Everything in ticks. `Accounts`: an Accountant or a Recorder, made from `ring`.
template <typename Accounts>
class BasicScriptedSoaker {
  public:
    using Ticks = soak::Ticks;
    using ChunkKind = soak::ChunkKind;

    static constexpr Ticks start = 1'000'000;
    static constexpr Ticks reading_cost = 2600;

    template <typename... Ring>
    explicit BasicScriptedSoaker(const soak::Limits& limits = usual::limits(), Ring&... ring)
        : limits_(limits), accountant_(ring...) {}

    /// Told to begin now; its first instruction comes `late`.
    void begin(Ticks late = 0) {
        const Ticks edge = now_;
        now_ += late;
        accountant_.begin(edge, limits_, [this] { return read(); });
    }

    // What happens during the next chunk.

    void interrupt(Ticks took) { now_ += took, cpu_ += took; }
    /// Another thread runs. `flagged`: the kernel says so with this chunk, not with another one.
    void switch_away(Ticks took, bool flagged = true) {
        now_ += took;
        switched_ |= flagged;
    }
    void flag() { switched_ = true; }
    /// The kernel charges that much of this thread's time to another one (negative: the other way).
    void mischarge(Ticks took) { cpu_ -= took; }

    /// The chunk ends, having run for `ran` (its usual time).
    void chunk(ChunkKind kind, std::optional<Ticks> ran = {}) {
        run(kind, ran);
        accountant_.chunk_done(kind, now_, take_flag(), [this] { return read(); });
    }
    void chunks(ChunkKind kind, int count) {
        for (int i = 0; i < count; ++i)
            chunk(kind);
    }

    /// The command to stop came for `edge`; the chunk at hand ends after it.
    void end(Ticks edge, ChunkKind kind = ChunkKind::walk) {
        run(kind, {});
        accountant_.end(kind, edge, take_flag(), [this] { return read(); });
    }

    // What happens during the next clock readings, in turn.

    void reading_interrupted(Ticks took) { readings_.push_back({.wall = took, .cpu = took}); }
    void reading_switched_away(Ticks took) { readings_.push_back({.wall = took, .cpu = 0}); }

    Ticks now() const { return now_; }
    void set_now(Ticks now) { now_ = now; }
    int readings() const { return readings_taken_; }
    const soak::Tally& tally() const { return accountant_.tally(); }
    const soak::Limits& limits() const { return limits_; }

  private:
    struct Disturbance {
        Ticks wall = 0, cpu = 0;
    };

    void run(ChunkKind kind, std::optional<Ticks> ran) {
        const Ticks took = ran.value_or(limits_.nominal[soak::index(kind)]);
        now_ += took, cpu_ += took;
    }

    bool take_flag() { return std::exchange(switched_, false); }

    /// A disturbance comes between the first wall clock and the CPU clock.
    soak::Reading read() {
        ++readings_taken_;
        Disturbance disturbance;
        if (!readings_.empty()) {
            disturbance = readings_.front();
            readings_.pop_front();
        }
        soak::Reading reading;
        reading.before = now_;
        now_ += disturbance.wall + reading_cost / 2, cpu_ += disturbance.cpu + reading_cost / 2;
        reading.cpu_ns = static_cast<int64_t>(static_cast<double>(cpu_) / limits_.ticks_per_ns);
        now_ += reading_cost / 2, cpu_ += reading_cost / 2;
        reading.after = now_;
        return reading;
    }

    soak::Limits limits_;
    Accounts accountant_;
    std::deque<Disturbance> readings_;
    Ticks now_ = start, cpu_ = 0;
    bool switched_ = false;
    int readings_taken_ = 0;
};

using ScriptedSoaker = BasicScriptedSoaker<soak::Accountant>;

/// A soaker that began, so that one reading was taken.
inline ScriptedSoaker begun() {
    ScriptedSoaker soaker;
    soaker.begin();
    return soaker;
}

inline const soak::Tally::Chunks& of(const ScriptedSoaker& soaker, soak::ChunkKind kind) {
    return soaker.tally().chunks[soak::index(kind)];
}

/// All time since the begin is in the sums, to the tick.
inline void expect_adds_up(const ScriptedSoaker& soaker) {
    EXPECT_EQ(usual::accounted(soaker.tally(), soaker.limits()),
              soaker.tally().until - soaker.tally().begin);
}
