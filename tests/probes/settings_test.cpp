#include "probes/settings.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

namespace probes {
namespace {

using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(Settings, OfARecordedMachine) {
    const RecordedRoot recorded("kvm-guest");
    EXPECT_EQ(read_settings(recorded.root()),
              (Settings{{"boot.mitigations", "auto"},
                        {"cgroup", "/"},
                        {"clock_source", "tsc"},
                        {"cpu_model", "AMD EPYC"},
                        {"hypervisor", "yes"},
                        {"kernel", "6.18.0"},
                        {"kernel_version", "#1 SMP PREEMPT_DYNAMIC @0"},
                        {"microcode", "0x1000065"},
                        {"net.core.busy_poll", "0"},
                        {"net.core.busy_read", "0"},
                        {"net.core.rmem_max", "4194304"},
                        {"net.core.wmem_max", "4194304"},
                        {"net.ipv4.tcp_congestion_control", "bbr"},
                        {"net.ipv4.tcp_rmem", "4096 131072 33554432"},
                        {"net.ipv4.tcp_wmem", "4096 16384 4194304"},
                        {"preemption", "PREEMPT_DYNAMIC"},
                        {"smt", "notsupported"}}));
}

TEST(Settings, WhatABareMachineHasMore) {
    const RecordedRoot recorded("kvm-guest");
    const std::string cpufreq = "sys/devices/system/cpu/cpufreq/";
    recorded.write(cpufreq + "policy0/scaling_governor", "performance\n");
    recorded.write(cpufreq + "policy1/scaling_governor", "powersave\n");
    recorded.write(cpufreq + "policy2/scaling_governor", "performance\n");
    recorded.write(cpufreq + "boost", "1\n");
    recorded.write("sys/kernel/debug/sched/preempt", "none voluntary (full) lazy \n");
    recorded.write("boot/config-6.18.0",
                   "# CONFIG_HZ_100 is not set\nCONFIG_HZ_250=y\nCONFIG_HZ=250\n");
    const auto settings = read_settings(recorded.root());
    EXPECT_EQ(settings.at("governor"), "performance,powersave");
    EXPECT_EQ(settings.at("boost"), "1");
    EXPECT_EQ(settings.at("preemption"), "full");
    EXPECT_EQ(settings.at("kernel_hz"), "250");
}

TEST(Settings, WhatIsNotThereIsLeftOut) {
    const RecordedRoot empty;
    EXPECT_THAT(read_settings(empty.root()), IsEmpty());
}

TEST(Settings, GroupIsThatOfTheCpuController) {
    const RecordedRoot recorded("kvm-guest");
    recorded.write("proc/self/cgroup", "9:cpuset:/a\n3:cpu:/b\n0::/c\n");
    EXPECT_EQ(read_settings(recorded.root()).at("cgroup"), "/b");
    recorded.write("proc/self/mountinfo", "35 25 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    EXPECT_EQ(read_settings(recorded.root()).at("cgroup"), "/c");
}

TEST(Settings, OfThisMachine) { EXPECT_THAT(read_settings(base::Root()), Not(IsEmpty())); }

TEST(Cpuinfo, Aarch64HasImplementerAndPart) {
    EXPECT_THAT(parse_cpuinfo("processor\t: 0\n"
                              "Features\t: fp asimd\n"
                              "CPU implementer\t: 0x41\n"
                              "CPU part\t: 0xd0c\n"
                              "\n"
                              "processor\t: 1\n"
                              "CPU part\t: 0xd05\n"),
                UnorderedElementsAre(Pair("cpu_model", "0x41 0xd0c")));
}

TEST(CommandLine, OnlyWhatChangesTiming) {
    EXPECT_THAT(
        parse_command_line("BOOT_IMAGE=/vmlinuz root=UUID=1-2 nohz_full=1-3 isolcpus=domain,"
                           "managed_irq,1-3 threadirqs quiet\n"),
        UnorderedElementsAre(Pair("boot.nohz_full", "1-3"),
                             Pair("boot.isolcpus", "domain,managed_irq,1-3"),
                             Pair("boot.threadirqs", "yes")));
}

TEST(Preempt, ModeInForce) {
    EXPECT_EQ(parse_preempt("none voluntary full (lazy)\n"), "lazy");
    EXPECT_EQ(parse_preempt(""), std::nullopt);
    EXPECT_EQ(parse_preempt_flag("#1 SMP PREEMPT_RT Debian 6.1"), "PREEMPT_RT");
    EXPECT_EQ(parse_preempt_flag("#1 SMP Debian 6.1"), std::nullopt);
}

} // namespace
} // namespace probes
