#include "soak/timebase.h"

#include <gtest/gtest.h>

namespace soak {
namespace {

using namespace std::chrono_literals;

const Timebase timebase(true, 2.1);

/// `elapsed` later, by a counter that is off by `error`.
ClockPair after(const ClockPair& start, Nanoseconds elapsed, Nanoseconds error = 0ns) {
    return {start.ticks + timebase.ticks(elapsed + error), start.raw + elapsed};
}

TEST(Timebase, converts_both_ways) {
    EXPECT_EQ(timebase.ticks(1ms), 2'100'000);
    EXPECT_EQ(timebase.duration(2'100'000), 1ms);
    EXPECT_EQ(timebase.duration(-2'100'000), -1ms);
    EXPECT_DOUBLE_EQ(timebase.ns(21), 10);
    EXPECT_EQ(timebase.duration(1), 0ns); // to the nearest: 0.48
    EXPECT_EQ(timebase.duration(2), 1ns); // 0.95
}

TEST(Timebase, agrees_with_a_counter_that_keeps_its_rate) {
    const ClockPair start{1'000'000'000, 77s};
    EXPECT_TRUE(timebase.agrees(start, start));
    EXPECT_TRUE(timebase.agrees(start, after(start, 300ms)));
    EXPECT_TRUE(timebase.agrees(start, after(start, 1h)));
}

TEST(Timebase, tolerates_drift_and_a_late_reading) {
    const ClockPair start{1'000'000'000, 77s};
    for (const int sign : {1, -1}) {
        EXPECT_TRUE(timebase.agrees(start, after(start, 1ms, sign * 4us)));
        EXPECT_TRUE(timebase.agrees(start, after(start, 1s, sign * 150us))); // 150 ppm
    }
}

TEST(Timebase, disagrees_with_a_counter_that_leapt_or_changed_its_rate) {
    const ClockPair start{1'000'000'000, 77s};
    for (const int sign : {1, -1}) {
        EXPECT_FALSE(timebase.agrees(start, after(start, 300ms, sign * 1ms)));
        EXPECT_FALSE(timebase.agrees(start, after(start, 1s, sign * 300us))); // 300 ppm
        EXPECT_FALSE(timebase.agrees(start, after(start, 1ms, sign * 10us)));
    }
    // A migrated guest's counter begins somewhere else.
    EXPECT_FALSE(timebase.agrees(start, {17, start.raw + 300ms}));
}

TEST(Timebase, the_systems_is_one_tick_a_nanosecond) {
    const auto system = Timebase::system();
    EXPECT_FALSE(system.counter());
    EXPECT_EQ(system.ticks(1ms), 1'000'000);
    const auto first = system.read_pair(), second = system.read_pair();
    EXPECT_LE(first.raw, second.raw);
    EXPECT_LE(first.ticks, second.ticks);
    EXPECT_LE(second.ticks, system.now());
}

TEST(CounterClock, goes_on) {
    const auto before = CounterClock::now();
    base::sleep_until(base::monotonic_now() + 1ms);
    EXPECT_GT(CounterClock::now(), before);
}

TEST(Timebase, measures_the_counter_or_does_without) {
    const auto measured = Timebase::measure(1ms);
    EXPECT_GT(measured.ticks_per_ns(), 0);
    if (!measured.counter()) {
        EXPECT_EQ(measured.ticks_per_ns(), 1);
    }
    if (!has_invariant_counter()) {
        EXPECT_FALSE(measured.counter());
    }
}

} // namespace
} // namespace soak
