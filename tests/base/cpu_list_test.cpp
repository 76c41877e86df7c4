#include "base/cpu_list.h"
#include "base/error.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace base {
namespace {

using testing::HasSubstr;

TEST(CpuList, IsOfNumbersAndRanges) {
    EXPECT_EQ(parse_cpu_list("0-2,5"), (CpuList{0, 1, 2, 5}));
    EXPECT_EQ(parse_cpu_list("7\n"), CpuList{7});
    EXPECT_EQ(parse_cpu_list("3-3"), CpuList{3});
    EXPECT_EQ(parse_cpu_list("0-511\n").size(), 512U);
}

TEST(CpuList, MayBeEmpty) {
    EXPECT_EQ(parse_cpu_list(""), CpuList{});
    EXPECT_EQ(parse_cpu_list("\n"), CpuList{});
}

TEST(CpuList, IsAscendingAndEachOnce) {
    EXPECT_EQ(parse_cpu_list("5,0-2,1-3,5"), (CpuList{0, 1, 2, 3, 5}));
}

TEST(CpuList, NothingElseIsOne) {
    for (const char* text : {"x", "1-", "-1", "-", "1-2-3", "0 1", "0, 1", "1.5", "0x1", "65536",
                             "0-99999999999", "99999999999999999999"})
        EXPECT_THROW(parse_cpu_list(text), ParseError) << text;
    EXPECT_EQ(parse_cpu_list("65535"), CpuList{65535});
}

TEST(CpuList, RangeRunsForwards) {
    try {
        parse_cpu_list("0,3-1");
        FAIL() << "was accepted";
    } catch (const ParseError& error) {
        EXPECT_THAT(error.what(), HasSubstr("'3-1' runs backwards"));
    }
}

TEST(CpuList, IsWrittenAsShortAsItGets) {
    EXPECT_EQ(format_cpu_list({}), "");
    EXPECT_EQ(format_cpu_list({4}), "4");
    EXPECT_EQ(format_cpu_list({0, 1}), "0-1");
    EXPECT_EQ(format_cpu_list({0, 2, 4}), "0,2,4");
    EXPECT_EQ(format_cpu_list({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

TEST(CpuList, OfOurChoiceIsUsed) {
    const auto before = usable_cpus();
    ASSERT_FALSE(before.empty());
    EXPECT_TRUE(std::is_sorted(before.begin(), before.end()));
    use_cpus({before.back()});
    EXPECT_EQ(usable_cpus(), CpuList{before.back()});
    use_cpus(before);
    EXPECT_EQ(usable_cpus(), before);
    EXPECT_THROW(use_cpus({}), std::system_error);
}

} // namespace
} // namespace base
