#include "soak/window.h"

#include <gtest/gtest.h>

namespace soak {
namespace {

using namespace std::chrono_literals;

CpuWindow sample(Nanoseconds unit) {
    return {.cpu = 3,
            .elapsed = 100 * unit,
            .soaked = 60 * unit,
            .own = 5 * unit,
            .stolen = 35 * unit,
            .causes = {.tasks = 20 * unit,
                       .interrupts = 10 * unit,
                       .hypervisor = {},
                       .core = 3 * unit,
                       .cache = 4 * unit,
                       .unexplained = -2 * unit},
            .core_share_ratio = {},
            .stalls = 7,
            .throughput_blocks = 80,
            .contended_blocks = 3,
            .clock_stopped = 6 * unit};
}

TEST(CpuWindow, times_add_up) {
    const auto sum = sample(1us) + sample(100us), expected = sample(101us);
    EXPECT_EQ(sum.cpu, 3);
    EXPECT_EQ(sum.elapsed, expected.elapsed);
    EXPECT_EQ(sum.soaked, expected.soaked);
    EXPECT_EQ(sum.own, expected.own);
    EXPECT_EQ(sum.stolen, expected.stolen);
    EXPECT_EQ(sum.causes.tasks, expected.causes.tasks);
    EXPECT_EQ(sum.causes.interrupts, expected.causes.interrupts);
    EXPECT_EQ(sum.causes.core, expected.causes.core);
    EXPECT_EQ(sum.causes.cache, expected.causes.cache);
    EXPECT_EQ(sum.causes.unexplained, expected.causes.unexplained);
    EXPECT_EQ(sum.stalls, 14u);
    EXPECT_EQ(sum.throughput_blocks, 160u);
    EXPECT_EQ(sum.contended_blocks, 6u);
    EXPECT_EQ(sum.clock_stopped, expected.clock_stopped);
}

TEST(CpuWindow, what_neither_knows_stays_unknown) {
    const auto sum = sample(1us) + sample(1us);
    EXPECT_FALSE(sum.causes.hypervisor);
    EXPECT_FALSE(sum.core_share_ratio);
}

TEST(CpuWindow, hypervisor_adds_where_it_is_known) {
    auto a = sample(1us), b = sample(1us);
    a.causes.hypervisor = 3us;
    EXPECT_EQ((a + b).causes.hypervisor, 3us);
    EXPECT_EQ((b + a).causes.hypervisor, 3us);
    b.causes.hypervisor = 4us;
    EXPECT_EQ((a + b).causes.hypervisor, 7us);
}

TEST(CpuWindow, core_share_is_weighted_by_time) {
    auto a = sample(3us), b = sample(1us);
    a.core_share_ratio = 1.0;
    EXPECT_DOUBLE_EQ((a + b).core_share_ratio.value(), 1.0);
    EXPECT_DOUBLE_EQ((b + a).core_share_ratio.value(), 1.0);
    b.core_share_ratio = 0.6;
    EXPECT_DOUBLE_EQ((a + b).core_share_ratio.value(), 0.9);
}

TEST(CpuWindow, windows_without_length_have_a_core_share_all_the_same) {
    CpuWindow a, b;
    a.core_share_ratio = b.core_share_ratio = 0.5;
    EXPECT_DOUBLE_EQ((a + b).core_share_ratio.value(), 0.5);
}

} // namespace
} // namespace soak
