#include "base/error.h"
#include "soak/records.h"
#include "tests/soak/usual.h"

#include <gtest/gtest.h>

namespace soak {
namespace {

constexpr auto walk = ChunkKind::walk;

/// Both ends of a stream of records.
class Records : public testing::Test {
  protected:
    Call next() {
        const Call call = decoder_.next(reader());
        return call;
    }
    VarintReader& reader() {
        if (!reader_) reader_.emplace(text_, "file", 0);
        return *reader_;
    }
    /// The decoder's next chunk is number 0.
    void begin(Ticks edge = 1000, const Reading& reading = {1010, 500, 1030}) {
        encoder_.begin(text_, edge, reading);
    }
    Call next_after_begin() {
        next();
        return next();
    }

    std::string text_;
    RecordEncoder encoder_;
    RecordDecoder decoder_;
    std::optional<VarintReader> reader_;
};

TEST_F(Records, a_begin_has_its_edge_and_its_reading) {
    begin(-1'000'000'000'000, {-999'999'999'990, 77, -999'999'999'900});
    const Call call = next();
    EXPECT_EQ(call.type, Call::Type::begin);
    EXPECT_EQ(call.time, -1'000'000'000'000);
    ASSERT_EQ(call.readings.size(), 1u);
    EXPECT_EQ(call.readings[0], (Reading{10, 77, 100}));
    EXPECT_TRUE(reader().at_end());
}

TEST_F(Records, a_usual_chunk_takes_one_byte) {
    begin();
    encoder_.plain_chunk(text_, walk, 270);
    const size_t before = text_.size();
    for (const Ticks time : {250, 273, 273, 230, 289})
        encoder_.plain_chunk(text_, walk, time);
    EXPECT_EQ(text_.size(), before + 5);
    next();
    for (const Ticks time : {270, 250, 273, 273, 230, 289}) {
        const Call call = next();
        EXPECT_EQ(call.type, Call::Type::chunk);
        EXPECT_EQ(call.time, time);
        EXPECT_FALSE(call.switched);
        EXPECT_TRUE(call.readings.empty());
    }
    EXPECT_TRUE(reader().at_end());
}

TEST_F(Records, one_byte_reaches_from_60_less_to_61_more) {
    for (const auto& [change, bytes] : std::vector<std::pair<Ticks, size_t>>{
             {0, 1}, {-62, 1}, {61, 1}, {-63, 2}, {62, 2}, {8000, 2}, {9000, 3}, {-270, 2}}) {
        RecordEncoder encoder;
        std::string text;
        encoder.plain_chunk(text, walk, 1000);
        const size_t before = text.size();
        encoder.plain_chunk(text, walk, 1000 + change);
        EXPECT_EQ(text.size() - before, bytes) << change;
    }
}

TEST_F(Records, kinds_follow_from_the_number_and_remember_each_their_time) {
    begin();
    for (uint32_t i = 0; i < 64; ++i)
        encoder_.plain_chunk(text_, scheduled_chunk(i), 100 * (index(scheduled_chunk(i)) + 1));
    next();
    for (uint32_t i = 0; i < 64; ++i) {
        const Call call = next();
        EXPECT_EQ(call.kind, scheduled_chunk(i));
        EXPECT_EQ(call.time, 100 * (index(scheduled_chunk(i)) + 1));
    }
}

TEST_F(Records, every_length_of_a_chunk_comes_back) {
    const std::vector<Ticks> times{
        0, -1, 1, -40, 127, 128, 1'000'000'000'000, 3, INT64_MAX / 4, INT64_MIN / 4};
    begin();
    for (const Ticks time : times)
        encoder_.plain_chunk(text_, walk, time);
    next();
    for (const Ticks time : times)
        EXPECT_EQ(next().time, time);
}

TEST_F(Records, a_marked_chunk_has_its_flag_and_its_readings) {
    begin();
    const std::array<Reading, 2> readings{Reading{5000, 900, 5900}, Reading{6000, 1200, 6100}};
    encoder_.chunk(text_, 4990, 3960, true, readings);
    encoder_.chunk(text_, 7000, 900, false, {});
    encoder_.plain_chunk(text_, walk, 250);
    const Call call = next_after_begin();
    EXPECT_EQ(call.type, Call::Type::chunk);
    EXPECT_TRUE(call.switched);
    EXPECT_EQ(call.time, 3960);
    ASSERT_EQ(call.readings.size(), 2u);
    EXPECT_EQ(call.readings[0], (Reading{10, 900, 910}));
    EXPECT_EQ(call.readings[1], (Reading{1010, 1200, 1110}));
    const Call second = next();
    EXPECT_FALSE(second.switched);
    EXPECT_EQ(second.time, 900);
    EXPECT_EQ(next().time, 250);
    EXPECT_TRUE(reader().at_end());
}

TEST_F(Records, an_end_counts_from_the_last_chunk) {
    begin();
    for (int i = 0; i < 15; ++i)
        encoder_.plain_chunk(text_, walk, 250);
    encoder_.end(text_, 9000, -20, true, std::array{Reading{9010, 800, 9030}});
    for (int i = 0; i < 16; ++i)
        next();
    const Call call = next();
    EXPECT_EQ(call.type, Call::Type::end);
    EXPECT_EQ(call.kind, ChunkKind::latency);
    EXPECT_EQ(call.time, -20);
    EXPECT_TRUE(call.switched);
    EXPECT_EQ(call.readings.at(0), (Reading{10, 800, 30}));
}

TEST_F(Records, a_resume_has_all_that_an_accountant_remembers) {
    const Accountant::State state{usual::filled(3), {7, -8, 9}, true, false};
    encoder_.resume(text_, state, 12345);
    encoder_.resume(text_, {.clock_stops = true}, 0);
    Call call = next();
    EXPECT_EQ(call.type, Call::Type::resume);
    EXPECT_EQ(call.lost_bytes, 12345u);
    EXPECT_EQ(call.state, state);
    call = next();
    EXPECT_EQ(call.state, (Accountant::State{.clock_stops = true}));
    EXPECT_TRUE(reader().at_end());
}

TEST_F(Records, go_on_behind_a_resume_with_the_chunk_that_is_due) {
    Accountant::State state{.reference = {0, 1000, 0}};
    state.tally.chunks[0].done = 45; // so the next one is number 47, a throughput block
    state.tally.chunks[1].done = 2;
    encoder_.plain_chunk(text_, walk, 999);
    text_.clear();
    encoder_.resume(text_, state, 1);
    encoder_.plain_chunk(text_, ChunkKind::latency, 200);
    encoder_.chunk(text_, 500, 250, false, std::array{Reading{510, 1100, 520}});
    next();
    const Call first = next();
    EXPECT_EQ(first.kind, ChunkKind::latency);
    EXPECT_EQ(first.time, 200);
    const Call second = next();
    EXPECT_EQ(second.kind, walk);
    EXPECT_EQ(second.readings.at(0).cpu_ns, 1100);
}

TEST_F(Records, a_begin_forgets_what_was_before) {
    begin();
    encoder_.plain_chunk(text_, walk, 250);
    begin();
    encoder_.plain_chunk(text_, walk, 300);
    for (int i = 0; i < 3; ++i)
        next();
    const Call call = next();
    EXPECT_EQ(call.kind, walk);
    EXPECT_EQ(call.time, 300);
}

TEST_F(Records, cut_anywhere_are_an_error) {
    begin();
    encoder_.chunk(text_, 4990, 3960, true, std::array{Reading{5000, 900, 5900}});
    encoder_.resume(text_, {usual::filled(1'000'000)}, 300);
    const std::string whole = text_;
    int cuts_between = 0;
    for (size_t size = 0; size < whole.size(); ++size) {
        const auto part = whole.substr(0, size);
        RecordDecoder decoder;
        VarintReader from(part, "file", 0);
        try {
            while (!from.at_end())
                decoder.next(from);
            ++cuts_between;
        } catch (const base::ParseError&) {
        }
    }
    EXPECT_EQ(cuts_between, 3); // before each record
}

TEST_F(Records, more_readings_than_a_call_takes_are_damage) {
    put_varint(text_, static_cast<uint64_t>(RecordCode::chunk));
    put_varint(text_, uint64_t{1'000'000'000} << 1);
    put_signed(text_, 1);
    EXPECT_THROW(next(), base::ParseError);
}

} // namespace
} // namespace soak
