#include "base/error.h"
#include "soak/varint.h"

#include <gmock/gmock.h>

#include <limits>

namespace soak {
namespace {

using testing::HasSubstr;

std::string written(uint64_t value) {
    std::string text;
    put_varint(text, value);
    return text;
}

uint64_t taken(const std::string& text) {
    VarintReader reader(text, "file", 0);
    const uint64_t value = reader.take();
    EXPECT_TRUE(reader.at_end());
    return value;
}

TEST(Varint, takes_a_byte_for_every_seven_bits) {
    EXPECT_EQ(written(0), std::string(1, '\0'));
    EXPECT_EQ(written(127), "\x7f");
    EXPECT_EQ(written(128), "\x80\x01");
    EXPECT_EQ(written(300), "\xac\x02");
    EXPECT_EQ(written(16383), "\xff\x7f");
    EXPECT_EQ(written(16384).size(), 3u);
    EXPECT_EQ(written(UINT64_MAX).size(), 10u);
}

TEST(Varint, comes_back_at_every_length) {
    for (unsigned bits = 0; bits < 64; ++bits)
        for (const uint64_t value :
             {uint64_t{1} << bits, (uint64_t{1} << bits) - 1, UINT64_MAX >> bits})
            EXPECT_EQ(taken(written(value)), value);
}

TEST(Varint, signed_numbers_near_zero_are_short) {
    const std::vector<std::pair<int64_t, uint64_t>> pairs{{0, 0},
                                                          {-1, 1},
                                                          {1, 2},
                                                          {-2, 3},
                                                          {2, 4},
                                                          {-64, 127},
                                                          {63, 126},
                                                          {INT64_MAX, UINT64_MAX - 1},
                                                          {INT64_MIN, UINT64_MAX}};
    for (const auto& [number, code] : pairs) {
        EXPECT_EQ(zigzag(number), code);
        EXPECT_EQ(unzigzag(code), number);
    }
}

TEST(Varint, that_is_not_whole_is_named_with_its_place) {
    for (const std::string text : {"", "\x80", "\xff\xff"}) {
        VarintReader reader(text, "some.soak", 100);
        try {
            reader.take();
            FAIL() << text.size();
        } catch (const base::ParseError& error) {
            EXPECT_THAT(error.what(), HasSubstr("some.soak: damaged at byte " +
                                                std::to_string(100 + text.size())));
        }
    }
}

TEST(Varint, longer_than_64_bits_is_damage) {
    const std::string nine(9, '\xff');
    EXPECT_EQ(taken(nine + '\x01'), UINT64_MAX);
    EXPECT_THROW(taken(nine + '\x02'), base::ParseError);
    EXPECT_THROW(taken(nine + "\xff\x01"), base::ParseError);
}

TEST(Varint, the_reader_knows_its_place) {
    const auto text = written(300) + written(1);
    VarintReader reader(text, "file", 7);
    reader.take();
    EXPECT_EQ(reader.place(), 9u);
    EXPECT_FALSE(reader.at_end());
}

} // namespace
} // namespace soak
