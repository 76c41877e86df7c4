#include "probes/counters.h"

#include <gtest/gtest.h>

namespace probes {
namespace {

using namespace std::chrono_literals;

CpuCounters make_cpu(int cpu, Nanoseconds idle) {
    CpuCounters counters;
    counters.cpu = cpu;
    counters.idle = idle;
    return counters;
}

DeviceCounters make_device(int index, const char* name, uint64_t rx_packets) {
    return {.index = index, .name = name, .rx_packets = rx_packets};
}

TEST(Counters, DifferenceOfEveryField) {
    Counters earlier, later;
    earlier.time = 1s;
    later.time = 3s;
    earlier.cpus = {{0, 1s, 2s, 3s, 4s, 5s, 6s, 7s, 8, 9, 10}};
    later.cpus = {{0, 2s, 4s, 6s, 8s, 10s, 12s, 14s, 16, 18, 20}};
    earlier.devices = {{1, "lo", true, 1, 2, 3, 4}};
    later.devices = {{1, "lo", true, 2, 4, 6, 8}};
    earlier.protocols = {1, 2, 3, 4, 5};
    later.protocols = {2, 4, 6, 8, 10};
    const auto between = later - earlier;

    EXPECT_EQ(between.time, 2s);
    const auto& cpu = between.cpus.at(0);
    EXPECT_EQ(cpu.idle, 1s);
    EXPECT_EQ(cpu.tick_busy, 2s);
    EXPECT_EQ(cpu.tick_total, 3s);
    EXPECT_EQ(cpu.steal, 4s);
    EXPECT_EQ(cpu.interrupts, 5s);
    EXPECT_EQ(cpu.task_time, 6s);
    EXPECT_EQ(cpu.kernel_network, 7s);
    EXPECT_EQ(cpu.reschedule, 8U);
    EXPECT_EQ(cpu.function_call, 9U);
    EXPECT_EQ(cpu.tlb_shootdown, 10U);
    const auto& device = between.devices.at(0);
    EXPECT_TRUE(device.loopback);
    EXPECT_EQ(device.rx_packets, 1U);
    EXPECT_EQ(device.tx_packets, 2U);
    EXPECT_EQ(device.rx_bytes, 3U);
    EXPECT_EQ(device.tx_bytes, 4U);
    EXPECT_EQ(between.protocols.tcp_segments_in, 1U);
    EXPECT_EQ(between.protocols.tcp_segments_out, 2U);
    EXPECT_EQ(between.protocols.udp_datagrams_in, 3U);
    EXPECT_EQ(between.protocols.udp_datagrams_out, 4U);
    EXPECT_EQ(between.protocols.udp_receive_errors, 5U);
}

TEST(Counters, AbsentInEitherIsAbsent) {
    Counters earlier, later;
    earlier.cpus = {make_cpu(0, 1s), CpuCounters()};
    later.cpus = {make_cpu(0, 2s), make_cpu(1, 2s)};
    earlier.cpus[1].cpu = 1;
    earlier.cpus[0].reschedule = 4;
    const auto between = later - earlier;
    EXPECT_EQ(between.cpus.at(0).idle, 1s);
    EXPECT_EQ(between.cpus.at(0).reschedule, std::nullopt);
    EXPECT_EQ(between.cpus.at(1).idle, std::nullopt);
}

TEST(Counters, CpusAreMatchedByNumber) {
    Counters earlier, later;
    earlier.cpus = {make_cpu(0, 1s), make_cpu(5, 10s)};
    later.cpus = {make_cpu(5, 12s), make_cpu(7, 1s)};
    const auto between = later - earlier;
    ASSERT_EQ(between.cpus.size(), 2U);
    EXPECT_EQ(between.cpus[0].cpu, 5);
    EXPECT_EQ(between.cpus[0].idle, 2s);
    EXPECT_EQ(between.cpus[1].cpu, 7);
    EXPECT_EQ(between.cpus[1].idle, std::nullopt);
}

TEST(Counters, BackwardsCountsNothing) {
    Counters earlier, later;
    earlier.cpus = {make_cpu(0, 5s)};
    later.cpus = {make_cpu(0, 4s)};
    earlier.devices = {make_device(1, "lo", 1000)};
    later.devices = {make_device(1, "lo", 3)};
    const auto between = later - earlier;
    EXPECT_EQ(between.cpus.at(0).idle, 0s);
    EXPECT_EQ(between.devices.at(0).rx_packets, 0U);
}

TEST(Counters, RenamedNewAndVanishedDevicesAreLeftOut) {
    Counters earlier, later;
    earlier.devices = {make_device(1, "lo", 1), make_device(2, "eth0", 1), make_device(3, "a", 1)};
    later.devices = {make_device(1, "lo", 3), make_device(2, "wan", 9), make_device(4, "a", 9)};
    const auto between = later - earlier;
    ASSERT_EQ(between.devices.size(), 1U);
    EXPECT_EQ(between.devices[0].name, "lo");
    EXPECT_EQ(between.devices[0].rx_packets, 2U);
}

TEST(Counters, LoopbackPacketsCountOnce) {
    DeviceCounters device{1, "lo", true, 10, 10, 500, 500};
    EXPECT_EQ(device.packets(), 10U);
    EXPECT_EQ(device.bytes(), 500U);
    device.loopback = false;
    EXPECT_EQ(device.packets(), 20U);
    EXPECT_EQ(device.bytes(), 1000U);
}

} // namespace
} // namespace probes
