#include "probes/throttling.h"
#include "tests/recorded_root.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace probes {
namespace {

/// Process 4711 in group /load/inner of a v1 `cpu` hierarchy; another group beside it.
struct Machine : RecordedRoot {
    Machine() {
        write("proc/self/mountinfo",
              "33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
              "38 31 0:35 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
        write("proc/4711/cgroup", "3:cpu:/load/inner\n0::/elsewhere\n");
        throttle("cpu/beside", 1000);
        throttle("unified/elsewhere", 1000);
    }
    void throttle(const std::string& group, int times) const {
        write("sys/fs/cgroup/" + group + "/cpu.stat",
              fmt::format("nr_periods 70\nnr_throttled {}\nthrottled_time 900\n", times));
    }
    uint64_t read(pid_t pid = 4711) const { return Throttling(root(), pid).read(); }
};

TEST(Throttling, IsSummedAlongThePath) {
    const Machine machine;
    machine.throttle("cpu/load", 3);
    machine.throttle("cpu/load/inner", 40);
    EXPECT_EQ(machine.read(), 43U);
}

TEST(Throttling, GrowsBetweenReadings) {
    const Machine machine;
    machine.throttle("cpu/load", 3);
    const Throttling throttling(machine.root(), 4711);
    EXPECT_EQ(throttling.read(), 3U);
    machine.throttle("cpu/load", 5);
    EXPECT_EQ(throttling.read(), 5U);
}

TEST(Throttling, InTheUnifiedHierarchy) {
    const Machine machine;
    machine.write("proc/self/mountinfo", "35 25 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    machine.write("sys/fs/cgroup/cgroup.subtree_control", "cpu memory\n");
    machine.write("proc/4711/cgroup", "0::/user.slice/load.scope\n");
    machine.write("sys/fs/cgroup/user.slice/load.scope/cpu.stat",
                  "usage_usec 9\nuser_usec 5\nsystem_usec 4\n"
                  "nr_periods 70\nnr_throttled 6\nthrottled_usec 900\n");
    // Does not hand `cpu` out further: no quota, no such figures.
    machine.write("sys/fs/cgroup/user.slice/cpu.stat",
                  "usage_usec 9\nuser_usec 5\nsystem_usec 4\n");
    EXPECT_EQ(machine.read(), 6U);
}

TEST(Throttling, NothingThrottlesWhereThereIsNoQuota) {
    const Machine machine;
    EXPECT_EQ(machine.read(), 0U);
    machine.throttle("cpu/load", 0);
    EXPECT_EQ(machine.read(), 0U);
    machine.write("sys/fs/cgroup/cpu/load/cpu.stat", "nr_throttled\nnonsense\n\nnr_throttled x\n");
    EXPECT_EQ(machine.read(), 0U);
    machine.write("proc/4711/cgroup", "3:cpu:/\n");
    EXPECT_EQ(machine.read(), 0U);
}

TEST(Throttling, NorWithoutAHierarchyOrAProcess) {
    const Machine machine;
    machine.throttle("cpu/load", 3);
    EXPECT_EQ(machine.read(4712), 0U);
    machine.remove("proc/self/mountinfo");
    EXPECT_EQ(machine.read(), 0U);
}

} // namespace
} // namespace probes
