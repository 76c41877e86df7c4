#include "base/cgroups.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

namespace base {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string separate =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct\n"
    "34 31 0:31 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
    "35 31 0:32 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd\n";
const std::string together = "33 25 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid,nodev,noexec,"
                             "relatime shared:10 - cgroup cgroup rw,cpu,cpuacct\n";
const std::string unified = "35 24 0:30 / /sys/fs/cgroup/unified rw,nosuid shared:9 master:2 - "
                            "cgroup2 cgroup2 rw,nsdelegate\n";
const std::string none = "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
                         "23 27 0:22 / /sys rw,relatime - sysfs sysfs rw\n";

/// A machine with these mounts, whose v2 hierarchy hands out `unified_controllers`.
struct Machine : RecordedRoot {
    explicit Machine(const std::string& mountinfo, const std::string& unified_controllers = "") {
        write("proc/self/mountinfo", mountinfo);
        write("sys/fs/cgroup/unified/cgroup.subtree_control", unified_controllers);
    }
    /// Where the hierarchy of `controller` is mounted.
    std::optional<std::string> point(std::string_view controller) const {
        const auto mount = find_cgroup_mount(root(), controller);
        return mount ? std::optional(mount->point) : std::nullopt;
    }
};

TEST(CgroupMounts, AreAllOfBothVersions) {
    const Machine machine(none + together + unified, "cpuset cpu io\n");
    const auto mounts = read_cgroup_mounts(machine.root());
    ASSERT_EQ(mounts.size(), 2U);
    EXPECT_EQ(mounts[0].point, "/sys/fs/cgroup/cpu,cpuacct");
    EXPECT_EQ(mounts[0].top, "/");
    EXPECT_EQ(mounts[0].version, 1);
    EXPECT_TRUE(mounts[0].has("cpu"));
    EXPECT_TRUE(mounts[0].has("cpuacct"));
    EXPECT_FALSE(mounts[0].has("cpuset"));
    EXPECT_EQ(mounts[1].point, "/sys/fs/cgroup/unified");
    EXPECT_EQ(mounts[1].version, 2);
    EXPECT_THAT(mounts[1].controllers, ElementsAre("cpuset", "cpu", "io"));
}

TEST(CgroupMounts, ContainerSeesWhichGroupIsItsTop) {
    const Machine machine("33 25 0:28 /docker/4711 /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
    const auto mounts = read_cgroup_mounts(machine.root());
    ASSERT_EQ(mounts.size(), 1U);
    EXPECT_EQ(mounts[0].top, "/docker/4711");
    EXPECT_EQ(mounts[0].point, "/sys/fs/cgroup/cpu");
}

TEST(CgroupMounts, WhatIsNoMountIsPassedOver) {
    EXPECT_THAT(read_cgroup_mounts(RecordedRoot().root()), IsEmpty());
    const Machine machine("\nnonsense\n - cgroup cgroup rw,cpu\n"
                          "33 25 0:28 / /sys/fs/cgroup/cpu rw - cgroup\n"
                          "33 25 0:28 / /sys/fs/cgroup/cpu rw cgroup cgroup rw,cpu\n");
    EXPECT_THAT(read_cgroup_mounts(machine.root()), IsEmpty());
}

TEST(FindCgroupMount, SeparateHierarchies) {
    const Machine machine(separate);
    EXPECT_EQ(machine.point("cpu"), "/sys/fs/cgroup/cpu");
    EXPECT_EQ(machine.point("cpuacct"), "/sys/fs/cgroup/cpuacct");
    EXPECT_EQ(machine.point("memory"), std::nullopt);
}

TEST(FindCgroupMount, OneHierarchyForTwoControllers) {
    const Machine machine(together);
    EXPECT_EQ(machine.point("cpu"), "/sys/fs/cgroup/cpu,cpuacct");
    EXPECT_EQ(machine.point("cpuacct"), "/sys/fs/cgroup/cpu,cpuacct");
}

TEST(FindCgroupMount, UnifiedHierarchyIfItHandsTheControllerOut) {
    EXPECT_EQ(Machine(unified, "cpuset cpu io memory pids\n").point("cpu"),
              "/sys/fs/cgroup/unified");
    EXPECT_EQ(Machine(unified, "cpuset io memory pids\n").point("cpu"), std::nullopt);
    EXPECT_EQ(Machine(unified, "\n").point("cpu"), std::nullopt);
    const Machine closed(unified);
    closed.remove("sys/fs/cgroup/unified/cgroup.subtree_control");
    EXPECT_EQ(closed.point("cpu"), std::nullopt);
}

TEST(FindCgroupMount, VersionOneGoesFirst) {
    EXPECT_EQ(Machine(separate + unified, "cpu\n").point("cpu"), "/sys/fs/cgroup/cpu");
    EXPECT_EQ(Machine(unified + separate, "cpu\n").point("cpu"), "/sys/fs/cgroup/cpu");
    EXPECT_EQ(Machine(unified + separate, "cpu memory\n").point("memory"),
              "/sys/fs/cgroup/unified");
}

TEST(FindCgroupMount, NoneAtAll) {
    EXPECT_EQ(Machine(none).point("cpu"), std::nullopt);
    EXPECT_EQ(find_cgroup_mount(RecordedRoot().root(), "cpu"), std::nullopt);
}

TEST(FindCpuGroups, VersionTwoEvenIfItHandsOutNothing) {
    const auto version = [](const Machine& machine) {
        const auto mount = find_cpu_groups(machine.root());
        return mount ? mount->version : 0;
    };
    EXPECT_EQ(version(Machine(unified + separate)), 1);
    EXPECT_EQ(version(Machine(unified, "cpu\n")), 2);
    EXPECT_EQ(version(Machine(unified)), 2);
    EXPECT_EQ(version(Machine(none)), 0);
}

/// The group of process 4711, by a /proc/4711/cgroup with this text.
std::optional<std::string> group(const std::string& text, int version,
                                 std::string_view controller = "cpu") {
    const RecordedRoot machine;
    machine.write("proc/4711/cgroup", text);
    return read_group(machine.root(), 4711, {.point = "", .top = "/", .version = version},
                      controller);
}

const std::string hybrid = "9:name=systemd:/user.slice\n"
                           "4:cpuset:/sets\n"
                           "3:cpu,cpuacct:/load/inner\n"
                           "0::/user.slice/session:1.scope\n";

TEST(ReadGroup, VersionOneByController) {
    EXPECT_EQ(group(hybrid, 1), "/load/inner");
    EXPECT_EQ(group(hybrid, 1, "cpuacct"), "/load/inner");
    EXPECT_EQ(group(hybrid, 1, "cpuset"), "/sets");
    EXPECT_EQ(group(hybrid, 1, "memory"), std::nullopt);
    EXPECT_EQ(group("1:cpu:/\n", 1), "/");
}

TEST(ReadGroup, VersionTwoHasOneForAll) {
    EXPECT_EQ(group(hybrid, 2), "/user.slice/session:1.scope");
    EXPECT_EQ(group("0::/\n", 2), "/");
    EXPECT_EQ(group("3:cpu:/load\n", 2), std::nullopt);
}

TEST(ReadGroup, OfThisProcess) {
    const RecordedRoot machine;
    machine.write("proc/self/cgroup", "0::/ours\n");
    EXPECT_EQ(read_group(machine.root(), 0, {.version = 2}, "cpu"), "/ours");
}

TEST(ReadGroup, ProcessMayBeGoneOrInNone) {
    EXPECT_EQ(read_group(RecordedRoot().root(), 4711, {}, "cpu"), std::nullopt);
    EXPECT_EQ(group("", 1), std::nullopt);
    EXPECT_EQ(group("nonsense\n3:cpu\n", 1), std::nullopt);
    EXPECT_EQ(group("nonsense\n3:cpu\n3:cpu:/load\n", 1), "/load");
}

} // namespace
} // namespace base
