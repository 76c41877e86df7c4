#pragma once

#include "soak/accountant.h"
#include "soak/varint.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// What one soaker told its accountant, as bytes (docs/recording.md).
namespace soak {

/// One call of an accountant.
struct Call {
    enum class Type : uint8_t { begin, end, chunk, resume };

    Type type = Type::chunk;
    ChunkKind kind = ChunkKind::walk;
    bool switched = false;
    Ticks time = 0; ///< begin: the edge. end, chunk: from the tally's `until` on
    /// Clock readings that it took. Their wall clocks count from the call's own time.
    std::vector<Reading> readings;
    // resume: what it remembers behind a hole, and how many bytes of calls are missing
    Accountant::State state;
    uint64_t lost_bytes = 0;
};

/// A record begins with a number: one of these, or from `plain` on a chunk without a switch or a
/// reading, and the number tells its time against the one before it of the same kind.
enum class RecordCode : uint64_t { begin, end, chunk, resume, plain };

/// Both ends of the stream remember this much of it.
struct RecordState {
    std::array<Ticks, chunk_kinds> last_time{}; ///< of the last plain chunk
    int64_t cpu_ns = 0;                         ///< of the last reading
};

class RecordEncoder {
  public:
    // Each appends one record.

    void begin(std::string& to, Ticks edge, const Reading& reading);
    void end(std::string& to, Ticks edge, Ticks time, bool switched,
             std::span<const Reading> readings);
    void chunk(std::string& to, Ticks now, Ticks time, bool switched,
               std::span<const Reading> readings);
    void plain_chunk(std::string& to, ChunkKind kind, Ticks time) {
        put_varint(to, plain_number(kind, time));
    }
    void resume(std::string& to, const Accountant::State& state, uint64_t lost_bytes);

    /// A plain chunk's record, as a number.
    uint64_t plain_number(ChunkKind kind, Ticks time) {
        auto& last = state_.last_time[index(kind)];
        const auto number = zigzag(time - last) + static_cast<uint64_t>(RecordCode::plain);
        last = time;
        return number;
    }

  private:
    void readings(std::string& to, Ticks at, std::span<const Reading> readings);
    void marked(std::string& to, RecordCode code, Ticks at, Ticks time, bool switched,
                std::span<const Reading> readings);

    RecordState state_;
};

class RecordDecoder {
  public:
    /// The next call; the first of all is a begin or a resume. Throws base::ParseError for what is
    /// no record.
    Call next(VarintReader& from);

  private:
    void readings(VarintReader& from, size_t count, Call& call);
    void marked(VarintReader& from, Call& call);
    void resume(VarintReader& from, Call& call);
    void plain(uint64_t number, Call& call);

    RecordState state_;
    uint32_t number_ = 0; ///< of the next chunk in this soaking; tells its kind
};

} // namespace soak
