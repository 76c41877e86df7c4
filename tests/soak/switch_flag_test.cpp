#include "base/cpu_list.h"
#include "soak/chunk.h"
#include "soak/switch_flag.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <ctime>
#include <iostream>
#include <sys/rseq.h>
#include <thread>

extern "C" const char cyclesoak_never_abort[];

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

TEST(SwitchFlag, uses_rseq_only_where_it_is_registered) {
    const SwitchFlag flag;
    std::cout << "switches are told by " << (flag.uses_rseq() ? "rseq" : "getrusage") << "\n";
    if (__rseq_size == 0) {
        EXPECT_FALSE(flag.uses_rseq());
    }
}

// A kernel kills a thread whose section does not have it.
TEST(SwitchFlag, section_has_the_signature_that_rseq_was_registered_with) {
    const char* handler = cyclesoak_never_abort;
    opaque(handler); // g++ knows nothing in front of it
    uint32_t signature = 0;
    std::memcpy(&signature, handler - sizeof signature, sizeof signature);
    EXPECT_EQ(signature, RSEQ_SIG);
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
    const auto usable = base::usable_cpus();
    SwitchFlag flag;
    for (const int cpu : usable) {
        base::use_cpus({cpu});
        EXPECT_EQ(flag.cpu(), cpu);
    }
    base::use_cpus(usable);
}

} // namespace
} // namespace soak
