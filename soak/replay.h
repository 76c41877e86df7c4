#pragma once

#include "soak/accountant.h"
#include "soak/recording.h"
#include "soak/records.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace soak {

/// One soaker's calls, played to an accountant once more.
class CpuReplay {
  public:
    CpuReplay(const Limits& limits, std::string file) : limits_(limits), file_(std::move(file)) {}

    /// Records to be played; whole ones.
    void add(Block block) {
        if (!block.payload.empty()) pending_.push_back(std::move(block));
    }

    /// Plays the next call; nullopt if there is none. Throws base::ParseError for records that
    /// contradict each other or that this accountant would not have made.
    std::optional<Call> play_next();

    /// Plays up to where `chunks` were done in the soaking that began at `begin`. False if the
    /// recording does not have that moment. Throws as play_next().
    bool play_to(Ticks begin, int64_t chunks);

    const Tally& tally() const { return accountant_.tally(); }
    Accountant::State state() const { return accountant_.state(); }
    const Limits& limits() const { return limits_; }
    /// Bytes missing from what was played since this was last asked.
    uint64_t take_lost_bytes() { return std::exchange(lost_bytes_, 0); }

  private:
    void play(const Call& call, const VarintReader& from);

    Limits limits_;
    std::string file_;
    std::deque<Block> pending_;
    size_t played_ = 0; ///< bytes of the first of them
    RecordDecoder decoder_;
    Accountant accountant_;
    uint64_t lost_bytes_ = 0;
};

/// A recording's windows, computed as they were when it was made.
class Replay {
  public:
    /// `reader` must live on.
    explicit Replay(RecordingReader& reader);

    /// The next window; `discarded` if it was thrown away then, or if records of it are missing
    /// ("N bytes of its recording are missing"). nullopt at the end. Throws base::ParseError where
    /// the recording is cut or damaged.
    std::optional<Windows> next();

    /// Windows that were discarded since records are missing.
    int incomplete() const { return incomplete_; }

  private:
    struct Edge {
        Snapshot snapshot;
        bool found = true;          ///< the records tell of every CPU at this moment
        uint64_t skipped_bytes = 0; ///< missing between the edge before and this one
        uint64_t lost_bytes = 0;    ///< the soakers had lost up to here, in all
        bool overrun = false;
    };

    Edge play_to(const Block& block);
    Windows window(const Edge& earlier, const Edge& later);

    RecordingReader& reader_;
    std::vector<CpuReplay> cpus_;
    std::optional<Edge> last_;
    int incomplete_ = 0;
};

} // namespace soak
