#pragma once

#include "soak/snapshot.h"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A recording: all that soakers told their accountants, and what the parent knew at the edges of
/// its windows. The format is described in docs/recording.md.
namespace soak {

/// What windows are computed with.
struct RecordingHeader {
    base::CpuList cpus;
    Timebase timebase = Timebase::system();
    Calibration calibration;
};

/// A snapshot, with how far each soaker's calls had been counted in place of what they amount to.
struct RecordedSnapshot {
    struct Cpu {
        Ticks begin = 0;         ///< edge of the soaking
        bool begun = true;       ///< has the soaker been on the CPU since?
        int64_t chunks = 0;      ///< that were done in it
        Ticks read_at = 0;       ///< as in CpuSnapshot
        bool displaced = false;  ///< as in CpuSnapshot
        uint64_t lost_bytes = 0; ///< of its records, since the recording began
        bool operator==(const Cpu&) const = default;
    };
    ClockPair time;
    Nanoseconds own_cpu{};
    int own_place = 0;
    bool overrun = false; ///< the window that ends here took too long and was thrown away
    std::vector<Cpu> cpus;
};

/// Everything but `overrun` and `lost_bytes`.
RecordedSnapshot make_recorded(const Snapshot& snapshot);

enum class BlockType : char { records = 'r', snapshot = 's', end = 'e' };

struct Block {
    BlockType type = BlockType::end;
    unsigned cpu = 0;   ///< of its records: index into the header's
    uint64_t place = 0; ///< of the payload in the file, for errors
    std::string payload;
};

/// Writes a recording block by block, each at once. All throw std::system_error naming `name`.
class RecordingWriter {
  public:
    RecordingWriter(std::ostream& out, std::string name) : out_(out), name_(std::move(name)) {}

    /// The first.
    void write_header(const RecordingHeader& header);
    /// Whole records of the soaker of header.cpus[cpu].
    void write_records(size_t cpu, std::string_view records);
    void write_snapshot(const RecordedSnapshot& snapshot);
    /// The last.
    void write_end();

  private:
    void write_block(BlockType type, size_t cpu, std::string_view payload);
    void write(std::string_view bytes);

    std::ostream& out_;
    std::string name_;
};

/// Reads a recording block by block. All throw base::ParseError that names `name` and the place:
/// for what is no recording, one of another version, cut or damaged.
class RecordingReader {
  public:
    RecordingReader(std::istream& in, std::string name);

    const std::string& name() const { return name_; }
    const RecordingHeader& header() const { return header_; }
    /// Records or a snapshot; nullopt at the end.
    std::optional<Block> next();
    RecordedSnapshot parse_snapshot(const Block& block) const;

  private:
    void read_header();
    /// `bytes` whole bytes; throws where the file has not so many. `whole_at`: the place of what
    /// they belong to.
    std::string read(size_t bytes, uint64_t whole_at);
    [[noreturn]] void fail(std::string_view what) const;

    std::istream& in_;
    std::string name_;
    uint64_t place_ = 0;
    RecordingHeader header_;
};

} // namespace soak
