#include "soak/recording.h"

#include "base/error.h"
#include "soak/calibration_json.h"
#include "soak/record_ring.h"
#include "soak/varint.h"

#include <boost/crc.hpp>
#include <fmt/format.h>

#include <istream>
#include <ostream>

namespace soak {
namespace {

constexpr int version = 2;
constexpr std::string_view magic = "{\"cyclesoak recording\":";
constexpr size_t most_header_bytes = 4 << 20;
constexpr size_t block_header_bytes = 8, checksum_bytes = 4;

/// Little-endian.
std::string number(uint64_t value, unsigned bytes) {
    std::string text;
    for (unsigned i = 0; i < bytes; ++i)
        text.push_back(static_cast<char>(value >> 8 * i));
    return text;
}

uint64_t parse_number(std::string_view text) {
    uint64_t value = 0;
    for (size_t i = text.size(); i-- > 0;)
        value = value << 8 | static_cast<uint8_t>(text[i]);
    return value;
}

/// As in zlib and PNG.
std::string checksum(std::string_view a, std::string_view b = "") {
    boost::crc_32_type crc;
    crc.process_bytes(a.data(), a.size());
    crc.process_bytes(b.data(), b.size());
    return number(crc.checksum(), checksum_bytes);
}

Json to_json(const RecordingHeader& header) {
    return {{"cyclesoak recording", version},
            {"cyclesoak", CYCLESOAK_VERSION},
            {"cpus", header.cpus},
            {"counter", header.timebase.counter()},
            {"ticks_per_ns", header.timebase.ticks_per_ns()},
            {"calibration", to_json(header.calibration)}};
}

RecordingHeader parse_header(const Json& json) {
    RecordingHeader header;
    json.at("cpus").get_to(header.cpus);
    header.timebase =
        Timebase(json.at("counter").get<bool>(), json.at("ticks_per_ns").get<double>());
    header.calibration = parse_calibration(json.at("calibration"));
    return header;
}

} // namespace

RecordedSnapshot make_recorded(const Snapshot& snapshot) {
    RecordedSnapshot recorded{
        .time = snapshot.time, .own_cpu = snapshot.own_cpu, .own_place = snapshot.own_place};
    for (const auto& cpu : snapshot.cpus)
        recorded.cpus.push_back({.begin = cpu.tally.begin,
                                 .begun = cpu.begun,
                                 .chunks = cpu.tally.chunks_done(),
                                 .read_at = cpu.read_at,
                                 .displaced = cpu.displaced});
    return recorded;
}

// Writing

void RecordingWriter::write_header(const RecordingHeader& header) {
    const auto line = to_json(header).dump() + "\n";
    write(line + checksum(line));
}

void RecordingWriter::write_records(size_t cpu, std::string_view records) {
    write_block(BlockType::records, cpu, records);
}

void RecordingWriter::write_snapshot(const RecordedSnapshot& snapshot) {
    std::string payload;
    for (const int64_t value : {snapshot.time.ticks, snapshot.time.raw.count(),
                                snapshot.own_cpu.count(), int64_t{snapshot.own_place}})
        put_signed(payload, value);
    put_varint(payload, snapshot.overrun ? 1 : 0);
    for (const auto& cpu : snapshot.cpus) {
        put_varint(payload, (cpu.begun ? 1 : 0) | (cpu.displaced ? 2 : 0));
        for (const int64_t value : {cpu.begin, cpu.chunks, cpu.read_at})
            put_signed(payload, value);
        put_varint(payload, cpu.lost_bytes);
    }
    write_block(BlockType::snapshot, 0, payload);
}

void RecordingWriter::write_end() { write_block(BlockType::end, 0, ""); }

void RecordingWriter::write_block(BlockType type, size_t cpu, std::string_view payload) {
    const auto head = static_cast<char>(type) + number(cpu, 3) + number(payload.size(), 4);
    write(head + checksum(head, payload));
    write(payload);
}

void RecordingWriter::write(std::string_view bytes) {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out_.flush()) throw base::system_error(fmt::format("write {}", name_));
}

// Reading

RecordingReader::RecordingReader(std::istream& in, std::string name)
    : in_(in), name_(std::move(name)) {
    read_header();
}

void RecordingReader::fail(std::string_view what) const {
    throw base::ParseError(name_, 0, std::string(what));
}

std::string RecordingReader::read(size_t bytes, uint64_t whole_at) {
    std::string text(bytes, '\0');
    in_.read(text.data(), static_cast<std::streamsize>(bytes));
    const auto got = static_cast<uint64_t>(in_.gcount());
    place_ += got;
    if (got < bytes)
        fail(fmt::format("the recording is cut: it ends at byte {}, and what begins at byte {} is "
                         "not whole",
                         place_, whole_at));
    return text;
}

void RecordingReader::read_header() {
    std::string line(magic.size(), '\0');
    in_.read(line.data(), static_cast<std::streamsize>(line.size()));
    line.resize(static_cast<size_t>(in_.gcount()));
    place_ = line.size();
    if (line != magic.substr(0, line.size()) || line.empty()) fail("it is not a recording");
    while (line.back() != '\n' && line.size() < most_header_bytes)
        line += read(1, 0);
    try {
        const auto json = Json::parse(line);
        if (json.at("cyclesoak recording") != version)
            fail(fmt::format("it is a recording of version {}; this cyclesoak reads version {}",
                             json.at("cyclesoak recording").dump(), version));
        if (read(checksum_bytes, 0) != checksum(line)) fail("damaged in its first line, at byte 0");
        header_ = parse_header(json);
    } catch (const Json::exception& error) {
        fail(fmt::format("damaged in its first line, at byte 0: {}", error.what()));
    }
}

std::optional<Block> RecordingReader::next() {
    const uint64_t begin = place_;
    if (in_.peek() == std::istream::traits_type::eof())
        fail(fmt::format("the recording is cut: it ends at byte {}, without its end", begin));
    const auto head = read(block_header_bytes, begin);
    const auto sum = read(checksum_bytes, begin);
    Block block{.type = static_cast<BlockType>(head[0]),
                .cpu = static_cast<unsigned>(parse_number(head.substr(1, 3))),
                .place = place_};
    const size_t size = parse_number(head.substr(4, 4));
    if (size <= RecordRing::capacity) block.payload = read(size, begin);
    if (block.payload.size() != size || sum != checksum(head, block.payload) ||
        block.cpu >= header_.cpus.size())
        fail(fmt::format("damaged at byte {}", begin));
    switch (block.type) {
    case BlockType::records:
    case BlockType::snapshot:
        return block;
    case BlockType::end:
        return std::nullopt;
    }
    fail(fmt::format("damaged at byte {}: there is no block of type {}", begin,
                     static_cast<int>(block.type)));
}

RecordedSnapshot RecordingReader::parse_snapshot(const Block& block) const {
    VarintReader from(block.payload, name_, block.place);
    RecordedSnapshot snapshot;
    snapshot.time.ticks = from.take_signed();
    snapshot.time.raw = Nanoseconds(from.take_signed());
    snapshot.own_cpu = Nanoseconds(from.take_signed());
    snapshot.own_place = static_cast<int>(from.take_signed());
    snapshot.overrun = from.take() != 0;
    for (size_t i = 0; i < header_.cpus.size(); ++i) {
        auto& cpu = snapshot.cpus.emplace_back();
        const uint64_t marks = from.take();
        cpu.begun = (marks & 1) != 0;
        cpu.displaced = (marks & 2) != 0;
        cpu.begin = from.take_signed();
        cpu.chunks = from.take_signed();
        cpu.read_at = from.take_signed();
        cpu.lost_bytes = from.take();
    }
    if (!from.at_end()) from.fail("the snapshot goes on");
    return snapshot;
}

} // namespace soak
