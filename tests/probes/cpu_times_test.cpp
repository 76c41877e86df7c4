#include "base/error.h"
#include "probes/cpu_times.h"
#include "tests/recorded_root.h"

#include <gtest/gtest.h>

namespace probes {
namespace {

using namespace std::chrono_literals;

TEST(Stat, GuestTimeIsNotCountedTwice) {
    // user contains guest (9th figure), nice contains guest_nice (10th).
    const auto cpus = parse_stat("cpu  1 1 1 1 1 1 1 1 1 1\n"
                                 "cpu3 100 10 20 1000 30 4 5 6 90 9\n"
                                 "intr 5 0 0\n",
                                 100);
    ASSERT_EQ(cpus.size(), 1U);
    const auto& cpu = cpus.at(3);
    EXPECT_EQ(cpu.idle, 10300ms);
    EXPECT_EQ(cpu.busy, 1450ms);
    EXPECT_EQ(cpu.interrupts, 90ms);
    EXPECT_EQ(cpu.steal, 60ms);
}

TEST(Stat, TicksAreOfTheGivenLength) {
    EXPECT_EQ(parse_stat("cpu0 1 0 0 7 0 0 0 0\n", 1000).at(0).idle, 7ms);
}

TEST(Stat, OfflineCpusAreAbsent) {
    const auto cpus = parse_stat("cpu0 1 0 0 7 0 0 0 0 0 0\ncpu2 1 0 0 8 0 0 0 0 0 0\n", 100);
    EXPECT_EQ(cpus.size(), 2U);
    EXPECT_FALSE(cpus.contains(1));
    EXPECT_EQ(cpus.at(2).idle, 80ms);
}

TEST(Stat, BrokenLineIsNamed) {
    try {
        parse_stat("cpu  1 1 1\ncpu0 1 2 x 4 5 6 7 8\n", 100);
        FAIL() << "was accepted";
    } catch (const base::ParseError& error) {
        EXPECT_STREQ(error.what(), "/proc/stat:2: no number in column 3");
    }
    EXPECT_THROW(parse_stat("cpu0 1 2 3 4\n", 100), base::ParseError);
}

TEST(UsagePercpu, ColumnsArePossibleCpus) {
    const auto cpus = parse_usage_percpu("40433587915 55360023177 \n", {0, 4});
    EXPECT_EQ(cpus.at(0), 40433587915ns);
    EXPECT_EQ(cpus.at(4), 55360023177ns);
    EXPECT_THROW(parse_usage_percpu("1 2 3\n", {0, 1}), base::ParseError);
}

TEST(Schedstat, SeventhFigureOfEveryCpu) {
    const auto cpus = parse_schedstat("version 17\n"
                                      "timestamp 4295011223\n"
                                      "cpu0 1 0 3 4 5 6 7000 8 9\n"
                                      "domain0 MC 3 1 2 3\n"
                                      "cpu2 1 0 3 4 5 6 9000 8 9\n");
    EXPECT_EQ(cpus.size(), 2U);
    EXPECT_EQ(cpus.at(0), 7000ns);
    EXPECT_EQ(cpus.at(2), 9000ns);
}

TEST(Schedstat, UnknownVersionIsRefused) {
    EXPECT_THROW(parse_schedstat("version 14\ncpu0 1 0 3 4 5 6 7 8 9\n"), base::ParseError);
    EXPECT_THROW(parse_schedstat("version 18\ncpu0 1 0 3 4 5 6 7 8 9\n"), base::ParseError);
    EXPECT_THROW(parse_schedstat(""), base::ParseError);
}

TEST(TaskTime, FromTheRootCpuacctGroup) {
    const RecordedRoot recorded("kvm-guest");
    const auto source = find_task_time(recorded.root());
    ASSERT_TRUE(source);
    EXPECT_EQ(source->name, "/sys/fs/cgroup/cpuacct/cpuacct.usage_percpu");
    EXPECT_EQ(source->columns, (base::CpuList{0, 1}));
}

TEST(TaskTime, FromAHierarchyThatCpuacctShares) {
    const RecordedRoot machine;
    machine.write("proc/self/mountinfo", "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup "
                                         "cgroup rw,cpu,cpuacct\n");
    machine.write("sys/fs/cgroup/cpu,cpuacct/cgroup.sane_behavior", "0\n");
    machine.write("sys/devices/system/cpu/possible", "0-3\n");
    const auto source = find_task_time(machine.root());
    ASSERT_TRUE(source);
    EXPECT_EQ(source->name, "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage_percpu");
    EXPECT_EQ(source->columns, (base::CpuList{0, 1, 2, 3}));
}

TEST(TaskTime, ContainersGroupIsNotTheHost) {
    const RecordedRoot recorded("kvm-guest");
    recorded.remove("sys/fs/cgroup/cpuacct/cgroup.sane_behavior");
    EXPECT_FALSE(find_task_time(recorded.root()));
    recorded.write("proc/schedstat", "version 15\n");
    const auto source = find_task_time(recorded.root());
    ASSERT_TRUE(source);
    EXPECT_EQ(source->name, "proc/schedstat");
    EXPECT_TRUE(source->columns.empty());
}

} // namespace
} // namespace probes
