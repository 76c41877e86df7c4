#include "base/error.h"
#include "soak/recording.h"
#include "tests/soak/scripted_recording.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace soak {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// A few windows of two CPUs.
std::string small_recording() {
    ScriptedRecording machine(2);
    for (size_t cpu = 0; cpu < 2; ++cpu)
        machine.soaker(cpu).begin();
    for (int window = 0; window < 3; ++window) {
        for (size_t cpu = 0; cpu < 2; ++cpu) {
            machine.soaker(cpu).switch_away(20'000);
            machine.soaker(cpu).due_chunks(20);
        }
        machine.mark();
    }
    return machine.finished();
}

/// What is wrong with a recording; empty: nothing.
std::string complaint(const std::string& text) {
    try {
        replayed(text);
        return "";
    } catch (const base::ParseError& error) {
        return error.what();
    }
}

size_t header_size(const std::string& text) { return text.find('\n') + 1 + 4; }

TEST(Recording, begins_with_a_line_of_json) {
    const auto text = small_recording();
    const auto json = nlohmann::json::parse(text.substr(0, text.find('\n')));
    EXPECT_EQ(json.at("cyclesoak recording"), 2);
    EXPECT_EQ(json.at("cpus"), (std::vector{0, 1}));
    EXPECT_EQ(json.at("ticks_per_ns"), usual::ticks_per_ns);
    EXPECT_EQ(json.at("calibration").at("cpus").size(), 2u);
}

TEST(Recording, header_comes_back_to_the_last_bit) {
    RecordingHeader header{.cpus = {3, 5}, .timebase = {true, 2.5961381848589937}};
    header.calibration = {.ticks_per_ns = 2.0999999999999996, .cpus = {usual::calibration(5)}};
    header.calibration.cpus[0].mean = {1.0 / 3, 270.98765432109873, 1e-17};
    std::stringstream file;
    RecordingWriter writer(file, "file");
    writer.write_header(header);
    const RecordingReader reader(file, "file");
    EXPECT_EQ(reader.header().cpus, header.cpus);
    EXPECT_EQ(reader.header().timebase.ticks_per_ns(), header.timebase.ticks_per_ns());
    EXPECT_TRUE(reader.header().timebase.counter());
    const auto* cpu = reader.header().calibration.find(5);
    ASSERT_TRUE(cpu);
    EXPECT_EQ(cpu->mean, header.calibration.cpus[0].mean);
    EXPECT_EQ(cpu->limits.threshold, usual::limits().threshold);
    EXPECT_EQ(cpu->limits.ticks_per_ns, 2.0999999999999996);
}

TEST(Recording, snapshot_comes_back) {
    RecordedSnapshot snapshot{.time = {-5, Nanoseconds(INT64_MAX)},
                              .own_cpu = Nanoseconds(7),
                              .own_place = 511,
                              .overrun = true};
    snapshot.cpus = {
        {.begin = INT64_MIN / 2, .begun = false, .read_at = 1, .displaced = true},
        {.begin = 3, .chunks = INT64_MAX / 2, .read_at = -1, .lost_bytes = UINT64_MAX}};
    std::stringstream file;
    RecordingWriter writer(file, "file");
    writer.write_header({.cpus = {0, 1}});
    writer.write_snapshot(snapshot);
    RecordingReader reader(file, "file");
    const auto block = reader.next();
    ASSERT_TRUE(block);
    EXPECT_EQ(block->type, BlockType::snapshot);
    const auto read = reader.parse_snapshot(*block);
    EXPECT_EQ(read.time.ticks, -5);
    EXPECT_EQ(read.time.raw, Nanoseconds(INT64_MAX));
    EXPECT_EQ(read.own_cpu, Nanoseconds(7));
    EXPECT_EQ(read.own_place, 511);
    EXPECT_TRUE(read.overrun);
    EXPECT_EQ(read.cpus, snapshot.cpus);
}

TEST(Recording, blocks_are_as_the_format_says) {
    std::stringstream file;
    RecordingWriter writer(file, "file");
    writer.write_header({.cpus = {0, 1}});
    const size_t header = file.str().size();
    writer.write_records(1, "ab");
    writer.write_end();
    using namespace std::string_literals;
    // The sums are those of Python's zlib.crc32.
    EXPECT_EQ(file.str().substr(header), "r\x01\0\0\x02\0\0\0"s + "\x09\xd2\xdf\x94"s + "ab" +
                                             "e\0\0\0\0\0\0\0"s + "\xb6\x71\x29\xfd"s);
}

TEST(Recording, cut_anywhere_is_named_after_all_that_is_whole) {
    const auto text = small_recording();
    ASSERT_EQ(complaint(text), "");
    size_t most = 0;
    for (size_t size = 0; size < text.size(); ++size) {
        std::istringstream file(text.substr(0, size));
        size_t windows = 0;
        try {
            RecordingReader reader(file, "file");
            Replay replay(reader);
            while (replay.next())
                ++windows;
            ADD_FAILURE() << "whole at " << size;
        } catch (const base::ParseError& error) {
            if (size == 0) continue; // that is no recording
            EXPECT_THAT(error.what(), AllOf(StartsWith("file: the recording is cut"),
                                            HasSubstr(fmt::format("ends at byte {},", size))));
        }
        EXPECT_GE(windows, most);
        most = windows;
    }
    EXPECT_EQ(most, 2u);
}

TEST(Recording, damaged_anywhere_is_refused) {
    const auto text = small_recording();
    const auto header = header_size(text);
    for (size_t at = 0; at < text.size(); ++at)
        for (const char bit : {'\x01', '\x80'}) {
            auto damaged = text;
            damaged[at] = static_cast<char>(damaged[at] ^ bit);
            EXPECT_NE(complaint(damaged), "") << at;
            if (at < header) continue;
            // A length that is wrong may reach beyond the end.
            EXPECT_THAT(complaint(damaged), testing::ContainsRegex("at byte [0-9]+")) << at;
        }
}

TEST(Recording, of_another_version_is_named) {
    auto text = small_recording();
    text.replace(text.find(":2,"), 3, ":1,");
    EXPECT_EQ(complaint(text),
              "file: it is a recording of version 1; this cyclesoak reads version 2");
    EXPECT_THAT(complaint("{\"cyclesoak recording\":\"x\"}\nwhatever"), HasSubstr("version \"x\""));
}

TEST(Recording, garbage_is_no_recording) {
    for (const std::string text : {"", "\n", "{}", "{\"kind\": \"cyclesoak calibration\"}\n",
                                   "\x7f"
                                   "ELF",
                                   "{\"cyclesoak recordings\":1}"})
        EXPECT_EQ(complaint(text), "file: it is not a recording") << text;
    EXPECT_THAT(complaint("{\"cyclesoak recording\":]\n1234"), HasSubstr("damaged"));
    EXPECT_THAT(complaint(std::string("{\"cyclesoak recording\":") + std::string(5 << 20, ' ')),
                HasSubstr("damaged"));
}

TEST(Recording, ends_at_its_end_whatever_stands_behind) {
    EXPECT_EQ(replayed(small_recording() + "more").size(), 2u);
}

TEST(Recording, that_cannot_be_written_says_why) {
    std::ofstream full("/dev/full");
    try {
        RecordingWriter(full, "the file").write_header({});
        FAIL();
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code().value(), ENOSPC);
        EXPECT_THAT(error.what(), HasSubstr("write the file"));
    }
}

} // namespace
} // namespace soak
