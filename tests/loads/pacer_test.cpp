#include "loads/pacer.h"

#include <gtest/gtest.h>

namespace loads {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Pacer, first_unit_is_due_at_once) {
    Pacer pacer(10, seconds(5));
    EXPECT_EQ(pacer.next(1, seconds(5)), seconds(5));
    EXPECT_EQ(pacer.next(1, seconds(5)), seconds(5) + milliseconds(100));
}

TEST(Pacer, does_not_drift_at_a_rate_that_no_nanosecond_fits) {
    Pacer pacer(3, Nanoseconds::zero());
    Nanoseconds due{};
    for (int unit = 0; unit <= 3'000'000; ++unit)
        due = pacer.next(1, due);
    EXPECT_EQ(due, seconds(1'000'000));
}

TEST(Pacer, lateness_within_patience_does_not_move_later_deadlines) {
    Pacer pacer(1000, Nanoseconds::zero());
    EXPECT_EQ(pacer.next(1, milliseconds(60)), milliseconds(0));
    EXPECT_EQ(pacer.next(1, milliseconds(60)), milliseconds(1));
}

TEST(Pacer, several_units_at_a_time) {
    Pacer pacer(1000, Nanoseconds::zero());
    EXPECT_EQ(pacer.next(32, Nanoseconds::zero()), milliseconds(0));
    EXPECT_EQ(pacer.next(32, Nanoseconds::zero()), milliseconds(32));
    EXPECT_EQ(pacer.next(1, Nanoseconds::zero()), milliseconds(64));
}

TEST(Pacer, catches_up_patience_worth_of_units_and_no_more) {
    Pacer pacer(1000, Nanoseconds::zero());
    pacer.next(1, Nanoseconds::zero());
    const auto now = seconds(10);
    int at_once = 0;
    while (pacer.next(1, now) < now)
        ++at_once;
    EXPECT_EQ(at_once, Pacer::patience / milliseconds(1));
}

} // namespace
} // namespace loads
