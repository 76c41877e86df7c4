#include "probes/kept_file.h"
#include "tests/recorded_root.h"

#include <gtest/gtest.h>

#include <system_error>
#include <vector>

namespace probes {
namespace {

TEST(KeptFile, ReadsWhatIsThereNow) {
    const RecordedRoot root;
    root.write("counters", "1 2 3\n");
    KeptFile file(root.root().at("counters"));
    EXPECT_EQ(file.read(), "1 2 3\n");
    root.write("counters", "4\n");
    EXPECT_EQ(file.read(), "4\n");
    const std::string long_text(100'000, 'x');
    root.write("counters", long_text);
    EXPECT_EQ(file.read(), long_text);
}

TEST(KeptFile, AbsentFileMayAppearLater) {
    const RecordedRoot root;
    KeptFile file(root.root().at("counters"));
    EXPECT_EQ(file.read(), std::nullopt);
    root.write("counters", "1\n");
    EXPECT_EQ(file.read(), "1\n");
}

TEST(KeptFile, ThousandsLeaveDescriptorsForOthers) {
    const RecordedRoot root;
    root.write("counters", "1\n");
    std::vector<KeptFile> files;
    for (int i = 0; i < 2000; ++i)
        files.emplace_back(root.root().at("counters"));
    for (auto& file : files)
        EXPECT_EQ(file.read(), "1\n");
    root.write("counters", "2\n");
    for (auto& file : files)
        EXPECT_EQ(file.read(), "2\n");
    EXPECT_LT(base::Root().list("proc/self/fd").size(), 300U);
}

TEST(KeptFile, OtherFailuresSayWhatWasTried) {
    const RecordedRoot root;
    KeptFile file(root.root().at("/"));
    try {
        file.read();
        FAIL() << "a folder was read";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code().value(), EISDIR);
        EXPECT_NE(std::string(error.what()).find("read "), std::string::npos);
    }
}

} // namespace
} // namespace probes
