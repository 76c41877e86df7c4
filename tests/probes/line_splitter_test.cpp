#include "probes/line_splitter.h"

#include <gmock/gmock.h>

#include <vector>

namespace probes {
namespace {

using testing::ElementsAre;

struct LineSplitterTest : testing::Test {
    std::vector<std::string> lines;
    TakeLine take = [this](std::string_view line) { lines.emplace_back(line); };
    LineSplitter splitter;
};

TEST_F(LineSplitterTest, PutsPiecesTogether) {
    splitter.add("on", take);
    EXPECT_TRUE(lines.empty());
    splitter.add("e\n\ntwo\nthr", take);
    EXPECT_THAT(lines, ElementsAre("one", "", "two"));
    splitter.finish(take);
    splitter.finish(take);
    EXPECT_THAT(lines, ElementsAre("one", "", "two", "thr"));
}

TEST_F(LineSplitterTest, EndlessLineComesInParts) {
    splitter.add(std::string(40'000, 'a'), take);
    EXPECT_TRUE(lines.empty());
    splitter.add(std::string(40'000, 'a'), take);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].size(), 80'000U);
}

} // namespace
} // namespace probes
