#include "base/text.h"

#include <gmock/gmock.h>

#include <limits>

namespace base {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Trim, TakesWhiteSpaceFromBothEnds) {
    EXPECT_EQ(trim(" \t a b \r\n"), "a b");
    EXPECT_EQ(trim("ab"), "ab");
    EXPECT_EQ(trim(" \n"), "");
    EXPECT_EQ(trim(""), "");
}

TEST(Split, IntoTheNonEmptyPieces) {
    EXPECT_THAT(split("a b\tc"), ElementsAre("a", "b", "c"));
    EXPECT_THAT(split("  a   b "), ElementsAre("a", "b"));
    EXPECT_THAT(split(",a,,b,", ","), ElementsAre("a", "b"));
    EXPECT_THAT(split("a b,c", ","), ElementsAre("a b", "c"));
    EXPECT_THAT(split(" \t"), IsEmpty());
    EXPECT_THAT(split(""), IsEmpty());
}

TEST(Lines, LastNewlineMakesNoLine) {
    EXPECT_THAT(lines("a\nb\n"), ElementsAre("a", "b"));
    EXPECT_THAT(lines("a\nb"), ElementsAre("a", "b"));
    EXPECT_THAT(lines("\na\n\n"), ElementsAre("", "a", ""));
    EXPECT_THAT(lines("\n"), ElementsAre(""));
    EXPECT_THAT(lines(""), IsEmpty());
}

TEST(Integer, IsTheWholeText) {
    EXPECT_EQ(parse_integer("0"), 0);
    EXPECT_EQ(parse_integer("-12"), -12);
    EXPECT_EQ(parse_integer("007"), 7);
    EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<int64_t>::max());
    for (const char* text :
         {"", "-", "+1", " 1", "1 ", "1\n", "1x", "1.0", "0x10", "9223372036854775808"})
        EXPECT_EQ(parse_integer(text), std::nullopt) << text;
}

TEST(Number, IsTheWholeTextAndFinite) {
    EXPECT_EQ(parse_number("0.25"), 0.25);
    EXPECT_EQ(parse_number("-3"), -3);
    EXPECT_EQ(parse_number("1e3"), 1000);
    for (const char* text :
         {"", "x", " 1", "1 ", "1,5", "1.2.3", "1e", "1e999", "inf", "-inf", "nan"})
        EXPECT_EQ(parse_number(text), std::nullopt) << text;
}

} // namespace
} // namespace base
