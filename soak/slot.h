#pragma once

#include "soak/stall_counts.h"
#include "soak/tally.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace soak {

/// What a soaker is told to do.
enum class Mode : uint32_t {
    park,   ///< account up to the edge, then sleep
    soak,   ///< soak from the edge on
    sample, ///< record single durations for calibration, then go on chunking
    quit,
};

/// What is recorded in Mode::sample.
enum class Sampled : uint32_t { warm, cold, evicted, readings };

/// The memory that one soaker and its parent share. Parent to soaker: the command. Soaker to
/// parent: the tally, published after every chunk into a ring of copies. A reader gets the newest
/// whole copy even if the writer was taken off its CPU in the middle of the next one.
class Slot {
  public:
    static constexpr size_t most_samples = 2048;
    static constexpr size_t few_samples =
        64; ///< of what takes long: a busy CPU lets little through
    struct Sample {
        ChunkKind kind = ChunkKind::walk;
        uint32_t ticks = 0;
    };

    // The parent's side.

    /// `edge`: the moment from which (soak) or up to which (park) the command holds.
    void command(Mode mode, Ticks edge = 0);
    void set_limits(const Limits& limits) { limits_ = limits; } ///< only while parked
    void set_sampled(Sampled sampled) { sampled_ = sampled; }   ///< only while parked
    /// The newest whole tally.
    Tally read() const;
    /// Has the soaker taken up the last command?
    bool acknowledged() const;
    /// Did the soaker find itself on a foreign CPU (its own went offline)?
    bool displaced() const { return displaced_.load(std::memory_order_relaxed); }
    /// Stalls of all soaking so far.
    StallCounts stalls() const;
    size_t sample_count() const { return sample_count_.load(std::memory_order_acquire); }
    const auto& samples() const { return samples_; }

    // Both sides.

    Mode mode() const { return mode_of(command_word()); }
    Ticks begin() const { return begin_; } ///< edge of the last soak command
    Ticks end() const { return end_; }     ///< edge of the last park command

    // The soaker's side.

    uint32_t command_word() const { return command_.load(std::memory_order_acquire); }
    static Mode mode_of(uint32_t word) { return static_cast<Mode>(word & 3u); }
    /// Sleeps until the command is no longer `word`.
    void wait(uint32_t word) const;
    void acknowledge(uint32_t word) { acknowledged_.store(word, std::memory_order_release); }
    const Limits& limits() const { return limits_; }
    Sampled sampled() const { return sampled_; }
    void publish(const Tally& tally);
    void count_stall(Ticks length);
    void set_displaced(bool displaced) { displaced_.store(displaced, std::memory_order_relaxed); }
    void clear_samples() { sample_count_.store(0, std::memory_order_relaxed); }
    void add_sample(ChunkKind kind, Ticks took);

  private:
    Nanoseconds duration(Ticks ticks) const;

    static constexpr size_t words = sizeof(Tally) / sizeof(int64_t);
    /// Copies to write before the oldest is overwritten: a reader may take some chunks' time.
    static constexpr size_t copies = 8;
    struct alignas(64) Copy {
        std::array<std::atomic<int64_t>, words> word{};
    };

    alignas(64) std::atomic<uint32_t> command_{0};
    Ticks begin_ = 0, end_ = 0;
    Limits limits_;
    Sampled sampled_ = Sampled::warm;

    alignas(64) std::atomic<uint64_t> published_{0};
    std::atomic<uint32_t> acknowledged_{0};
    std::atomic<bool> displaced_{false};
    std::array<Copy, copies> ring_{};
    std::array<std::atomic<uint64_t>, stall_bounds.size() + 1> stalls_{};
    std::atomic<Ticks> stalled_ticks_{0};

    alignas(64) std::atomic<size_t> sample_count_{0};
    std::array<Sample, most_samples> samples_{};
};

} // namespace soak
