#include "soak/switch_flag.h"

#include <gtest/gtest.h>

#include <ctime>
#include <sched.h>
#include <thread>

namespace soak {
namespace {

void sleep_briefly() {
    timespec shortest{.tv_sec = 0, .tv_nsec = 1000};
    nanosleep(&shortest, nullptr);
}

/// A sleep that finds its time over is no switch; so often it does not.
bool tells_a_switch(SwitchFlag& flag) {
    for (int i = 0; i < 10'000; ++i) {
        sleep_briefly();
        if (flag.take()) return true;
    }
    return false;
}

/// A thread that keeps its CPU for the moment between two calls.
bool is_quiet_between_calls(SwitchFlag& flag) {
    for (int i = 0; i < 10'000; ++i)
        if (!flag.take()) return true;
    return false;
}

TEST(SwitchFlag, tells_when_the_thread_was_switched_out) {
    SwitchFlag flag;
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(tells_a_switch(flag));
        EXPECT_TRUE(is_quiet_between_calls(flag));
    }
}

TEST(SwitchFlag, belongs_to_its_thread) {
    SwitchFlag ours;
    bool told = false;
    std::thread([&] {
        SwitchFlag theirs;
        told = tells_a_switch(theirs);
    }).join();
    EXPECT_TRUE(told);
    EXPECT_TRUE(tells_a_switch(ours));
}

TEST(SwitchFlag, knows_the_cpu) {
    cpu_set_t allowed, only;
    sched_getaffinity(0, sizeof allowed, &allowed);
    SwitchFlag flag;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        CPU_ZERO(&only);
        CPU_SET(cpu, &only);
        ASSERT_EQ(sched_setaffinity(0, sizeof only, &only), 0);
        EXPECT_EQ(flag.cpu(), cpu);
    }
    sched_setaffinity(0, sizeof allowed, &allowed);
}

} // namespace
} // namespace soak
