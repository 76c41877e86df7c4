#include "probes/probes.h"
#include "tests/recorded_root.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace probes {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<DeviceCounters> one_device() { return {{1, "lo", true, 10, 10, 500, 500}}; }

std::vector<std::string> ids(const base::Warnings& warnings) {
    std::vector<std::string> all;
    for (const auto& warning : warnings)
        all.push_back(warning.id);
    return all;
}

TEST(Probes, ReadEverythingOfARecordedMachine) {
    const RecordedRoot recorded("kvm-guest");
    Probes probes(recorded.root(), {0, 1}, one_device);
    const auto counters = probes.read();

    ASSERT_EQ(counters.cpus.size(), 2U);
    const auto& cpu = counters.cpus[1];
    EXPECT_EQ(cpu.cpu, 1);
    EXPECT_EQ(cpu.idle, 10ms * (113346 + 767));
    EXPECT_EQ(cpu.tick_busy, 10ms * (2781 + 218 + 2010 + 187 + 7));
    EXPECT_EQ(cpu.tick_total, *cpu.idle + *cpu.tick_busy);
    EXPECT_EQ(cpu.steal, 70ms);
    EXPECT_EQ(cpu.interrupts, 1870ms);
    EXPECT_EQ(cpu.task_time, 55360023177ns);
    EXPECT_EQ(cpu.kernel_network, 0ns);
    EXPECT_EQ(cpu.reschedule, 2693U);
    EXPECT_EQ(cpu.function_call, 77495U);
    EXPECT_EQ(cpu.tlb_shootdown, 1413U);
    EXPECT_EQ(counters.devices.at(0).name, "lo");
    EXPECT_EQ(counters.protocols.tcp_segments_in, 534181U);
    EXPECT_EQ(counters.protocols.udp_receive_errors, 73486U);
    EXPECT_GT(counters.time, 0ns);
    EXPECT_THAT(probes.warnings(), IsEmpty());
}

TEST(Probes, ReadWhatChanged) {
    const RecordedRoot recorded("kvm-guest");
    Probes probes(recorded.root(), {0}, one_device);
    const auto before = probes.read();
    recorded.write("proc/stat", "cpu0 1780 668 1212 115570 25 0 152 4 0 0\n");
    const auto between = probes.read() - before;
    EXPECT_EQ(between.cpus.at(0).idle, 100ms);
    EXPECT_EQ(between.cpus.at(0).tick_busy, 0ms);
}

TEST(Probes, NothingThereIsWarningsNotFailure) {
    const RecordedRoot empty;
    Probes probes(empty.root(), {0},
                  []() -> std::vector<DeviceCounters> { throw std::runtime_error("no netlink"); });
    for (int i = 0; i < 3; ++i) {
        const auto counters = probes.read();
        EXPECT_EQ(counters.cpus.at(0).idle, std::nullopt);
        EXPECT_EQ(counters.cpus.at(0).task_time, std::nullopt);
        EXPECT_EQ(counters.cpus.at(0).reschedule, std::nullopt);
        EXPECT_EQ(counters.cpus.at(0).kernel_network, std::nullopt);
        EXPECT_THAT(counters.devices, IsEmpty());
        EXPECT_EQ(counters.protocols.tcp_segments_in, std::nullopt);
    }
    EXPECT_THAT(ids(probes.warnings()),
                ElementsAre("no-cpu-times", "no-task-time", "no-interrupt-counts",
                            "no-device-counters", "no-protocol-counters", "no-kernel-network"));
    EXPECT_THAT(probes.warnings()[3].text, HasSubstr("no netlink"));
}

TEST(Probes, OneBrokenFileLeavesTheOthers) {
    const RecordedRoot recorded("kvm-guest");
    recorded.write("proc/stat", "cpu0 what is this\n");
    Probes probes(recorded.root(), {0}, one_device);
    const auto counters = probes.read();
    EXPECT_EQ(counters.cpus.at(0).idle, std::nullopt);
    EXPECT_EQ(counters.cpus.at(0).task_time, 40433587915ns);
    EXPECT_THAT(ids(probes.warnings()), ElementsAre("no-cpu-times"));
    EXPECT_THAT(probes.warnings()[0].text, HasSubstr("/proc/stat:1"));
}

TEST(Probes, OfflineCpuIsAbsentNotAWarning) {
    const RecordedRoot recorded("kvm-guest");
    Probes probes(recorded.root(), {0, 7}, one_device);
    const auto counters = probes.read();
    ASSERT_EQ(counters.cpus.size(), 2U);
    EXPECT_EQ(counters.cpus[1].cpu, 7);
    EXPECT_EQ(counters.cpus[1].idle, std::nullopt);
    EXPECT_EQ(counters.cpus[1].reschedule, std::nullopt);
    EXPECT_THAT(probes.warnings(), IsEmpty());
}

TEST(Probes, SchedstatWhereThereIsNoCpuacct) {
    const RecordedRoot recorded("kvm-guest");
    recorded.remove("sys/fs/cgroup");
    recorded.write("proc/schedstat", "version 16\ntimestamp 1\ncpu0 0 0 3 4 5 6 777 8 9\n");
    Probes probes(recorded.root(), {0}, one_device);
    EXPECT_EQ(probes.read().cpus.at(0).task_time, 777ns);
}

TEST(Probes, FiveHundredAndTwelveCpus) {
    const RecordedRoot recorded;
    std::string stat = "cpu  1 1 1 1 1 1 1 1 1 1\n", schedstat = "version 17\ntimestamp 1\n";
    std::string header = "     ", reschedule = "RES: ";
    base::CpuList cpus;
    for (int cpu = 0; cpu < 512; ++cpu) {
        cpus.push_back(cpu);
        stat += fmt::format("cpu{} 0 0 0 {} 0 0 0 0 0 0\n", cpu, cpu);
        schedstat += fmt::format("cpu{} 0 0 3 4 5 6 {} 8 9\n", cpu, cpu);
        header += fmt::format(" CPU{}", cpu);
        reschedule += fmt::format(" {}", cpu);
    }
    recorded.write("proc/stat", stat);
    recorded.write("proc/schedstat", schedstat);
    recorded.write("proc/interrupts", header + "\n" + reschedule + " Rescheduling interrupts\n");
    Probes probes(recorded.root(), cpus, one_device);
    const auto counters = probes.read();
    EXPECT_EQ(counters.cpus.at(511).idle, 5110ms);
    EXPECT_EQ(counters.cpus.at(511).task_time, 511ns);
    EXPECT_EQ(counters.cpus.at(511).reschedule, 511U);
}

TEST(Probes, ThisMachine) {
    Probes probes(base::Root(), {0});
    const auto before = probes.read();
    const auto between = probes.read() - before;
    EXPECT_TRUE(between.cpus.at(0).idle);
    EXPECT_FALSE(between.devices.empty());
    EXPECT_GT(between.time, 0ns);
}

} // namespace
} // namespace probes
