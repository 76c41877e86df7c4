#include "soak/split.h"
#include "tests/soak/scripted_soaker.h"

#include <gtest/gtest.h>

namespace soak {
namespace {

using namespace std::chrono_literals;

const Timebase two_ghz(true, usual::ticks_per_ns);

Tally snapshot(const ScriptedSoaker& soaker, Ticks read_at) {
    return close_gap({.tally = soaker.tally(), .read_at = read_at}, soaker.limits());
}

CpuWindow window(const Tally& earlier, const Tally& later) {
    return split(later - earlier, usual::calibration(), two_ghz);
}

TEST(OpenGap, a_gap_longer_than_a_chunk_counts_up_to_the_snapshot) {
    auto soaker = begun();
    const Tally before = soaker.tally();
    const Tally closed = snapshot(soaker, before.until + 100'000);
    EXPECT_EQ(closed.until, before.until + 100'000);
    EXPECT_EQ(closed.stall_ticks, before.stall_ticks + 100'000);
    EXPECT_EQ(closed.task_ticks, before.task_ticks + 100'000);
    EXPECT_EQ(closed.own_ticks, before.own_ticks);
    EXPECT_EQ(closed.stalls(), before.stalls());
}

TEST(OpenGap, a_chunk_under_way_is_left_to_the_next_window) {
    auto soaker = begun();
    const Tally before = soaker.tally();
    const auto at = [&](Ticks gap) { return usual::words(snapshot(soaker, before.until + gap)); };
    EXPECT_EQ(at(200), usual::words(before));
    EXPECT_EQ(at(soaker.limits().walk_threshold()), usual::words(before));
    EXPECT_NE(at(soaker.limits().walk_threshold() + 1), usual::words(before));
}

TEST(OpenGap, a_soaker_ahead_of_the_snapshot_is_left_alone) {
    auto soaker = begun();
    const Tally before = soaker.tally();
    EXPECT_EQ(usual::words(snapshot(soaker, before.until - 40)), usual::words(before));
    EXPECT_EQ(usual::words(snapshot(soaker, before.until - 100'000)), usual::words(before));
}

TEST(OpenGap, the_next_window_corrects_what_the_first_one_guessed) {
    auto soaker = begun();
    const Tally first = soaker.tally();
    soaker.chunks(ChunkKind::walk, 100);
    // Away for 1 ms, of which the last quarter is an interrupt; the edge lies in the middle.
    const Ticks edge = soaker.now() + 1'000'000;
    const Tally second = snapshot(soaker, edge);
    soaker.switch_away(1'500'000);
    soaker.interrupt(500'000);
    soaker.chunk(ChunkKind::walk);
    soaker.chunks(ChunkKind::walk, 100);
    const Tally third = snapshot(soaker, soaker.now());

    const auto a = window(first, second), b = window(second, third);
    EXPECT_EQ(a.elapsed, 100 * 125ns + 500us);
    EXPECT_EQ(a.causes.tasks, 500us);
    EXPECT_EQ(a.causes.interrupts, 0ns);
    EXPECT_EQ(a.stolen, 500us);
    EXPECT_EQ(b.causes.tasks, 250us); // 750 in truth
    EXPECT_EQ(b.causes.interrupts, 250us);
    EXPECT_EQ(b.stolen, 500us);
    EXPECT_EQ((a + b).elapsed, window(first, third).elapsed);
    EXPECT_EQ((a + b).causes.tasks, 750us);
}

TEST(OpenGap, no_window_is_stolen_more_than_it_is_long) {
    auto soaker = begun();
    Tally last = soaker.tally();
    // Away all the time but for one chunk every 2 ms; windows of 1 ms end in the gaps.
    for (int i = 0; i < 20; ++i) {
        const Tally middle = snapshot(soaker, soaker.now() + 2'000'000);
        soaker.switch_away(4'000'000);
        soaker.chunk(ChunkKind::walk);
        const Tally end = snapshot(soaker, soaker.now());
        for (const auto& part : {window(last, middle), window(middle, end)}) {
            EXPECT_LE(part.stolen, part.elapsed);
            EXPECT_GE(part.stolen * 100, part.elapsed * 99);
            EXPECT_GE(part.causes.unexplained, -1us);
        }
        last = end;
    }
}

} // namespace
} // namespace soak
