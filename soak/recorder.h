#pragma once

#include "soak/record_ring.h"
#include "soak/records.h"

#include <array>
#include <concepts>

namespace soak {

/// An accountant that writes down every call of the soakings for which that is wanted: what it was
/// told, and what clocks it read. Each call is in the ring before its tally can be published.
class Recorder {
  public:
    explicit Recorder(RecordRing& ring) : ring_(ring) { ring.touch(); }

    template <std::invocable ReadClocks>
    void begin(Ticks at, const Limits& limits, ReadClocks&& read_clocks) {
        on_ = ring_.wanted();
        accountant_.begin(at, limits, kept(read_clocks));
        encoder_.begin(record_, at, readings_[0]);
        write();
    }

    template <std::invocable ReadClocks>
    void chunk_done(ChunkKind kind, Ticks now, bool switched, ReadClocks&& read_clocks) {
        const Ticks time = now - accountant_.tally().until;
        accountant_.chunk_done(kind, now, switched, kept(read_clocks));
        if (!switched && reading_count_ == 0) [[likely]]
            return write_plain(kind, time);
        encoder_.chunk(record_, now, time, switched, readings());
        write();
    }

    template <std::invocable ReadClocks>
    void end(ChunkKind kind, Ticks edge, bool switched, ReadClocks&& read_clocks) {
        const Ticks time = edge - accountant_.tally().until;
        accountant_.end(kind, edge, switched, kept(read_clocks));
        encoder_.end(record_, edge, time, switched, readings());
        write();
    }

    const Tally& tally() const { return accountant_.tally(); }

  private:
    template <typename ReadClocks>
    auto kept(ReadClocks& read_clocks) {
        return [&] { return readings_[reading_count_++] = read_clocks(); };
    }
    std::span<const Reading> readings() const { return std::span(readings_).first(reading_count_); }

    void write_plain(ChunkKind kind, Ticks time) {
        const uint64_t number = encoder_.plain_number(kind, time);
        // One byte, all but always.
        if (!on_) return;
        if (number < 0x80 && lost_bytes_ == 0 && ring_.append(static_cast<char>(number))) [[likely]]
            return;
        put_varint(record_, number);
        write();
    }
    void write();

    Accountant accountant_;
    RecordRing& ring_;
    RecordEncoder encoder_;
    std::array<Reading, Accountant::most_tries + 1> readings_; ///< of the call at hand
    size_t reading_count_ = 0;
    std::string record_;      ///< the call at hand
    uint64_t lost_bytes_ = 0; ///< since the ring was full
    bool on_ = false;         ///< this soaking is recorded
};

} // namespace soak
