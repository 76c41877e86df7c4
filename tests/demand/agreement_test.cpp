#include "demand/agreement.h"

#include <gmock/gmock.h>

namespace demand {
namespace {

using namespace std::chrono_literals;

/// A window of 20 ms and 2 s around it, at rates that waver by a tenth.
void add(Agreement& agreement, int number, double inside_rate, double outside_rate,
         double inside_interrupts, double outside_interrupts) {
    const double waver = number % 2 ? 1.05 : 0.95;
    const auto activity = [&](Nanoseconds time, double rate, double interrupts) {
        const double packets = rate * base::to_seconds(time) * waver;
        return Activity{.time = time,
                        .packets = static_cast<uint64_t>(packets),
                        .reschedule = static_cast<uint64_t>(packets * interrupts / 2),
                        .function_call = static_cast<uint64_t>(packets * interrupts / 2)};
    };
    agreement.add(activity(20ms, inside_rate, inside_interrupts),
                  activity(2s, outside_rate, outside_interrupts));
}

std::optional<bool> after(int windows, double inside_rate, double outside_rate,
                          double inside_interrupts = 1, double outside_interrupts = 1) {
    Agreement agreement;
    for (int i = 0; i < windows; ++i)
        add(agreement, i, inside_rate, outside_rate, inside_interrupts, outside_interrupts);
    return agreement.undisturbed();
}

TEST(Agreement, is_unknown_at_first) {
    EXPECT_EQ(after(19, 10e3, 10e3), std::nullopt);
    EXPECT_EQ(after(20, 10e3, 10e3), true);
}

TEST(Agreement, of_equal_rates) {
    EXPECT_EQ(after(50, 10e3, 10e3), true);
    EXPECT_EQ(after(50, 10.5e3, 10e3), true);
}

TEST(Agreement, not_where_windows_slow_the_load) { EXPECT_EQ(after(50, 5e3, 10e3), false); }

TEST(Agreement, nor_where_they_make_it_faster) { EXPECT_EQ(after(50, 20e3, 10e3), false); }

TEST(Agreement, nor_where_packets_need_more_interrupts) {
    EXPECT_EQ(after(50, 10e3, 10e3, 2, 1), false);
    EXPECT_EQ(after(50, 10e3, 10e3, 1, 0), false);
    EXPECT_EQ(after(50, 10e3, 10e3, 0, 1), false);
}

TEST(Agreement, a_few_interrupts_more_change_nothing) {
    EXPECT_EQ(after(50, 10e3, 10e3, 0.05, 0.01), true);
    EXPECT_EQ(after(50, 10e3, 10e3, 0.05, 0), true);
}

TEST(Agreement, a_load_that_stands_still_in_windows_disagrees) {
    EXPECT_EQ(after(50, 0, 10e3), false);
}

TEST(Agreement, an_idle_host_agrees) {
    EXPECT_EQ(after(50, 0, 0), true);
    EXPECT_EQ(after(50, 0, 5), true); // five packets a second: none in a window says nothing
}

TEST(Agreement, looks_at_the_last_hundred_windows) {
    Agreement agreement;
    for (int i = 0; i < 100; ++i)
        add(agreement, i, 5e3, 10e3, 1, 1);
    EXPECT_EQ(agreement.undisturbed(), false);
    for (int i = 0; i < 100; ++i)
        add(agreement, i, 10e3, 10e3, 1, 1);
    EXPECT_EQ(agreement.undisturbed(), true);
}

} // namespace
} // namespace demand
