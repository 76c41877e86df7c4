#include "base/error.h"
#include "probes/cpu_groups.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

namespace probes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CpuGroups, OursFirstAndTheTopLast) {
    const RecordedRoot recorded("laptop");
    EXPECT_THAT(find_cpu_group_folders(recorded.root(), 4711),
                ElementsAre("/sys/fs/cgroup/user.slice/user-1000.slice/session-2.scope",
                            "/sys/fs/cgroup/user.slice/user-1000.slice",
                            "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"));
    EXPECT_THAT(find_cpu_group_folders(recorded.root(), 4712), IsEmpty());
}

TEST(CpuGroups, WithoutQuotaAndWithTheUsualWeight) {
    const RecordedRoot recorded("laptop");
    const auto groups = read_cpu_groups(recorded.root(), 4711);
    ASSERT_EQ(groups.size(), 4u);
    EXPECT_EQ(groups[0].weight_ratio, std::nullopt);
    EXPECT_EQ(groups[2].quota_cpus, std::nullopt);
    EXPECT_EQ(groups[2].weight_ratio, 1.0);
    EXPECT_FALSE(groups[2].idle);
}

TEST(CpuGroups, OfAContainerWhoseTopHasTheQuota) {
    const RecordedRoot recorded("burstable-container");
    const auto groups = read_cpu_groups(recorded.root(), 4711);
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].folder, "/sys/fs/cgroup/load");
    EXPECT_TRUE(groups[0].idle);
    EXPECT_EQ(groups[1].folder, "/sys/fs/cgroup");
    EXPECT_EQ(groups[1].quota_cpus, 1.5);
    EXPECT_EQ(groups[1].weight_ratio, 0.2);
}

TEST(CpuGroups, OfVersionOne) {
    const RecordedRoot recorded("isolated-server");
    const auto groups = read_cpu_groups(recorded.root(), 4711);
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].quota_cpus, 0.5);
    EXPECT_EQ(groups[0].weight_ratio, 0.5);
    EXPECT_EQ(groups[1].quota_cpus, std::nullopt);
    EXPECT_EQ(groups[1].weight_ratio, 1.0);
}

TEST(CpuMax, AQuotaAndAPeriod) {
    EXPECT_EQ(parse_cpu_max("50000 100000\n"), 0.5);
    EXPECT_EQ(parse_cpu_max("max 100000"), std::nullopt);
    for (const auto* wrong : {"", "50000", "50000 0", "half 100000", "50000 100000 1"})
        EXPECT_THROW(parse_cpu_max(wrong), base::ParseError) << wrong;
}

} // namespace
} // namespace probes
