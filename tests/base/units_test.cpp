#include "base/error.h"
#include "base/units.h"

#include <gmock/gmock.h>

namespace base {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(Duration, HasAUnitOrIsSeconds) {
    EXPECT_EQ(parse_duration("250us"), 250us);
    EXPECT_EQ(parse_duration("300ms"), 300ms);
    EXPECT_EQ(parse_duration("10s"), 10s);
    EXPECT_EQ(parse_duration("2m"), 2min);
    EXPECT_EQ(parse_duration("1h"), 1h);
    EXPECT_EQ(parse_duration("7"), 7s);
    EXPECT_EQ(parse_duration("0"), 0s);
    EXPECT_EQ(parse_duration("0.5"), 500ms);
    EXPECT_EQ(parse_duration("1.5m"), 90s);
}

TEST(Duration, NothingElseIsOne) {
    for (const char* text : {"", "s", "ten", "-1", "+1", "1 s", " 1", "1s ", "1sec", "1S", "1.2.3",
                             "1e", "1e999", "inf", "nan", "0x10"})
        EXPECT_THROW(parse_duration(text), UsageError) << text;
}

TEST(Duration, HasABound) {
    EXPECT_EQ(parse_duration("1e8"), 100'000'000s);
    EXPECT_THROW(parse_duration("1.1e8"), UsageError);
    EXPECT_THROW(parse_duration("1e300h"), UsageError);
}

TEST(Rate, IsInPowersOfAThousand) {
    EXPECT_EQ(parse_rate("2000"), 2000);
    EXPECT_EQ(parse_rate("400k"), 400e3);
    EXPECT_EQ(parse_rate("400K"), 400e3);
    EXPECT_EQ(parse_rate("50M"), 50e6);
    EXPECT_EQ(parse_rate("1.5G"), 1.5e9);
    EXPECT_EQ(parse_rate("1e3"), 1000);
    EXPECT_EQ(parse_rate("0"), 0);
    for (const char* text : {"", "k", "-1k", "1m", "1kk", "1 k", "1e999", "inf"})
        EXPECT_THROW(parse_rate(text), UsageError) << text;
}

TEST(Size, IsInPowersOf1024) {
    EXPECT_EQ(parse_size("1472"), 1472);
    EXPECT_EQ(parse_size("512k"), 524288);
    EXPECT_EQ(parse_size("64K"), 65536);
    EXPECT_EQ(parse_size("1M"), 1048576);
    EXPECT_EQ(parse_size("2G"), 2147483648);
    EXPECT_EQ(parse_size("1.5k"), 1536);
    for (const char* text : {"", "K", "-1", "1T", "1KB", "1 K", "1e16", "inf"})
        EXPECT_THROW(parse_size(text), UsageError) << text;
}

/// What `parse` says of `text`.
template <typename Parse>
std::string complaint(Parse parse, const char* text) {
    try {
        parse(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "(accepted)";
}

TEST(Units, ComplaintsNameTheTextAndWhatWouldDo) {
    EXPECT_THAT(complaint(parse_duration, "x1"), HasSubstr("'x1' is not a time like 300ms"));
    EXPECT_THAT(complaint(parse_duration, "9e9h"), HasSubstr("'9e9h' is longer than"));
    EXPECT_THAT(complaint(parse_rate, "x2"), HasSubstr("'x2' is not a rate like 2000"));
    EXPECT_THAT(complaint(parse_size, "x3"), HasSubstr("'x3' is not a size like 1472"));
    EXPECT_THAT(complaint(parse_size, "9e9G"), HasSubstr("'9e9G' is more than"));
}

} // namespace
} // namespace base
