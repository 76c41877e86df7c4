#include "probes/platform.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

namespace probes {
namespace {

using std::chrono::microseconds;
using testing::ElementsAre;
using testing::IsEmpty;

Platform read(const std::string& name) { return read_platform(RecordedRoot(name).root(), 4711); }

TEST(Platform, OfALaptop) {
    const auto laptop = read("laptop");
    EXPECT_EQ(laptop.kernel, (KernelRelease{6, 13}));
    EXPECT_THAT(laptop.clock_sources, ElementsAre("tsc", "hpet", "acpi_pm"));
    EXPECT_EQ(laptop.tick_stops, true);
    EXPECT_EQ(laptop.autogroup, true);
    EXPECT_EQ(laptop.cpu_hierarchy, 2);
    EXPECT_EQ(laptop.groups.size(), 4u);
    EXPECT_EQ(laptop.online.size(), 16u);
    EXPECT_THAT(laptop.core_kinds,
                ElementsAre(CoreKind{"cpu_core", {0, 1, 2, 3, 4, 5, 6, 7}},
                            CoreKind{"cpu_atom", {8, 9, 10, 11, 12, 13, 14, 15}}));
    EXPECT_EQ(laptop.idle.driver, "intel_idle");
    EXPECT_EQ(laptop.idle.deepest()->name, "C10");
    EXPECT_EQ(laptop.idle.deepest()->exit_latency, microseconds(230));
    EXPECT_FALSE(laptop.virtual_machine.guest);
    EXPECT_EQ(laptop.steal_ratio, 0);
    EXPECT_FALSE(laptop.lxcfs);
    EXPECT_EQ(laptop.on_battery, true);
}

TEST(Platform, OfAContainerOnACreditGuest) {
    const auto container = read("burstable-container");
    EXPECT_EQ(container.kernel, (KernelRelease{6, 8}));
    EXPECT_EQ(container.tick_stops, std::nullopt);
    EXPECT_EQ(container.autogroup, std::nullopt);
    EXPECT_EQ(container.cpu_hierarchy, std::nullopt);
    EXPECT_THAT(container.core_kinds, IsEmpty());
    EXPECT_EQ(container.idle.driver, std::nullopt);
    EXPECT_EQ(container.idle.deepest(), std::nullopt);
    EXPECT_TRUE(container.virtual_machine.guest);
    EXPECT_EQ(container.virtual_machine.product, "t3.micro");
    EXPECT_EQ(container.steal_ratio, 0.01);
    EXPECT_TRUE(container.lxcfs);
    EXPECT_EQ(container.on_battery, std::nullopt);
}

TEST(Platform, OfAServerWithIsolatedCpus) {
    const auto server = read("isolated-server");
    EXPECT_EQ(server.tick_stops, true);
    EXPECT_EQ(server.cpu_hierarchy, 1);
    EXPECT_EQ(server.idle.deepest()->name, "C1") << "C2 is disabled";
    EXPECT_EQ(server.steal_ratio, std::nullopt);
}

TEST(Platform, OfTheRecordedGuest) {
    const auto guest = read("kvm-guest");
    EXPECT_TRUE(guest.virtual_machine.guest) << "the CPU's flags say so";
    EXPECT_EQ(guest.virtual_machine.vendor, "");
    EXPECT_THAT(guest.groups, IsEmpty());
    EXPECT_EQ(guest.cpu_hierarchy, 1);
}

TEST(Platform, WhatIsNotThereIsAbsent) {
    const auto nothing = read("");
    EXPECT_EQ(nothing.kernel, std::nullopt);
    EXPECT_THAT(nothing.groups, IsEmpty());
    EXPECT_EQ(nothing.steal_ratio, std::nullopt);
    EXPECT_FALSE(nothing.virtual_machine.guest);
}

TEST(Platform, OfThisMachine) {
    EXPECT_NE(read_platform(base::Root(), getpid()).kernel, std::nullopt);
}

TEST(Platform, ABatteryThatIsBeingChargedIsNoTrouble) {
    const RecordedRoot recorded("laptop");
    recorded.write("sys/class/power_supply/BAT0/status", "Charging\n");
    EXPECT_EQ(read_platform(recorded.root(), 4711).on_battery, false);
}

TEST(Platform, HowLongAGuestPollsBeforeItHalts) {
    const RecordedRoot recorded("kvm-guest");
    recorded.write("sys/module/haltpoll/parameters/guest_halt_poll_ns", "200000\n");
    EXPECT_EQ(read_platform(recorded.root(), 4711).idle.guest_poll, microseconds(200));
}

TEST(KernelRelease, ItsFirstTwoNumbers) {
    EXPECT_EQ(parse_kernel_release("6.8.0-45-generic"), (KernelRelease{6, 8}));
    EXPECT_EQ(parse_kernel_release("7.1-rc3"), (KernelRelease{7, 1}));
    EXPECT_EQ(parse_kernel_release(""), std::nullopt);
    EXPECT_EQ(parse_kernel_release("mainline"), std::nullopt);
    EXPECT_LT((KernelRelease{6, 8}), (KernelRelease{6, 14}));
}

TEST(TickStops, OnAnyCpu) {
    EXPECT_EQ(parse_tick_stops("  .nohz           : 0\n  .nohz           : 1\n"), true);
    EXPECT_EQ(parse_tick_stops("  .nohz           : 1\n  .nohz           : 0\n"), true);
    EXPECT_EQ(parse_tick_stops("  .nohz_mode      : 0\n"), false);
    EXPECT_EQ(parse_tick_stops("  .highres_mode   : 1\n"), std::nullopt);
}

TEST(Lxcfs, OnlyOverProcStat) {
    EXPECT_TRUE(parse_lxcfs("9 8 0:4 / /proc/stat rw - fuse.lxcfs lxcfs rw\n"));
    EXPECT_FALSE(parse_lxcfs("9 8 0:4 / /var/lib/lxcfs rw - fuse.lxcfs lxcfs rw\n"));
    EXPECT_FALSE(parse_lxcfs("9 8 0:4 / /proc/stat rw - proc proc rw\n9 8\n"));
}

TEST(CoreKinds, ByAFigureThatDiffersClearly) {
    EXPECT_THAT(make_core_kinds({{0, 1024}, {1, 446}, {2, 446}}, "capacity ", ""),
                ElementsAre(CoreKind{"capacity 1024", {0}}, CoreKind{"capacity 446", {1, 2}}));
    EXPECT_THAT(make_core_kinds({{0, 5200}, {1, 5000}}, "", " MHz"), IsEmpty())
        << "a favoured core is no other kind";
    EXPECT_THAT(make_core_kinds({}, "", ""), IsEmpty());
}

TEST(CoreKinds, FromFrequenciesWhereNothingElseTells) {
    const RecordedRoot recorded("isolated-server");
    const std::string cpus = "sys/devices/system/cpu/";
    for (const auto* cpu : {"cpu0", "cpu1"})
        recorded.write(cpus + cpu + "/cpufreq/cpuinfo_max_freq", "5100000\n");
    for (const auto* cpu : {"cpu2", "cpu3"})
        recorded.write(cpus + cpu + "/cpufreq/cpuinfo_max_freq", "3300000\n");
    EXPECT_THAT(read_platform(recorded.root(), 4711).core_kinds,
                ElementsAre(CoreKind{"5100 MHz", {0, 1}}, CoreKind{"3300 MHz", {2, 3}}));
}

TEST(VirtualMachine, ByItsNames) {
    EXPECT_TRUE(is_guest("QEMU", "Standard PC (Q35 + ICH9, 2009)"));
    EXPECT_TRUE(is_guest("Google", "Google Compute Engine"));
    EXPECT_FALSE(is_guest("Google", "Kohaku")) << "a laptop";
    EXPECT_TRUE(is_guest("Microsoft Corporation", "Virtual Machine"));
    EXPECT_FALSE(is_guest("Microsoft Corporation", "Surface Laptop 3"));
    EXPECT_TRUE(is_guest("Amazon EC2", "m7g.large"));
    EXPECT_FALSE(is_guest("Amazon EC2", "m7g.metal"));
    EXPECT_FALSE(is_guest("", ""));
}

TEST(VirtualMachine, OnCreditByItsName) {
    EXPECT_EQ(is_burstable("Amazon EC2", "t4g.nano"), true);
    EXPECT_EQ(is_burstable("Amazon EC2", "m5.large"), false);
    EXPECT_EQ(is_burstable("Amazon EC2", "trn1.2xlarge"), false);
    EXPECT_EQ(is_burstable("Microsoft Corporation", "Virtual Machine"), std::nullopt);
    EXPECT_EQ(is_burstable("Xen", "HVM domU"), std::nullopt);
    EXPECT_EQ(is_burstable("", ""), std::nullopt);
}

} // namespace
} // namespace probes
