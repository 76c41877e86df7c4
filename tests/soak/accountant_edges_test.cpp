#include "tests/soak/scripted_soaker.h"

#include <gtest/gtest.h>

namespace soak {
namespace {

constexpr auto walk = ChunkKind::walk;
constexpr Ticks reading_cost = ScriptedSoaker::reading_cost;

// The first instruction

TEST(Accountant, the_time_to_the_first_instruction_was_somebody_elses) {
    ScriptedSoaker soaker;
    soaker.begin(100'000);
    EXPECT_EQ(soaker.tally().stall_ticks, 100'000);
    EXPECT_EQ(soaker.tally().task_ticks, 100'000);
    EXPECT_EQ(soaker.tally().own_ticks, reading_cost);
    EXPECT_EQ(soaker.tally().stalls(), 0);
    expect_adds_up(soaker);
}

TEST(Accountant, an_edge_by_a_clock_that_is_ahead) {
    ScriptedSoaker soaker;
    soaker.begin(-40); // this CPU's counter is 40 ticks behind the one that set the edge
    EXPECT_EQ(soaker.tally().stall_ticks, 0);
    EXPECT_EQ(soaker.tally().task_ticks, 0);
    EXPECT_EQ(soaker.tally().own_ticks, reading_cost - 40);
    expect_adds_up(soaker);
}

TEST(Accountant, an_edge_that_is_far_ahead_is_signed_arithmetic) {
    ScriptedSoaker soaker;
    soaker.begin(-10'000);
    EXPECT_EQ(soaker.tally().own_ticks, reading_cost - 10'000);
    EXPECT_EQ(soaker.tally().stall_ticks, 0);
    expect_adds_up(soaker);
}

TEST(Accountant, begins_anew_with_every_soaking) {
    auto soaker = begun();
    soaker.switch_away(50'000);
    soaker.chunk(walk);
    soaker.interrupt(20'000);
    soaker.chunk(ChunkKind::latency);
    soaker.set_now(soaker.now() + 1'000'000);
    const Ticks edge = soaker.now();
    soaker.begin(300);
    Tally expected;
    expected.begin = edge;
    expected.stall_ticks = expected.task_ticks = 300;
    expected.own_ticks = reading_cost;
    expected.until = soaker.now();
    EXPECT_EQ(usual::words(soaker.tally()), usual::words(expected));
}

TEST(Accountant, limits_are_those_of_the_last_begin) {
    auto limits = usual::limits();
    limits.threshold[index(walk)] = 300;
    ScriptedSoaker soaker(limits);
    soaker.begin();
    soaker.chunk(walk, 301);
    EXPECT_EQ(of(soaker, walk).stalled, 1);
}

// The last chunk

TEST(Accountant, end_clips_a_running_chunk_at_the_edge) {
    auto soaker = begun();
    soaker.chunk(walk);
    const Ticks edge = soaker.now() + 100;
    soaker.end(edge);
    EXPECT_EQ(soaker.tally().until, edge);
    EXPECT_EQ(of(soaker, walk).ticks, 350);
    EXPECT_EQ(soaker.tally().stall_ticks, 0);
    expect_adds_up(soaker);
}

TEST(Accountant, end_clips_a_stall_at_the_edge) {
    auto soaker = begun();
    const Ticks edge = soaker.now() + 30'000;
    soaker.interrupt(100'000);
    soaker.end(edge);
    EXPECT_EQ(soaker.tally().until, edge);
    EXPECT_EQ(soaker.tally().stall_ticks, 30'000 - 250);
    EXPECT_EQ(soaker.tally().task_ticks, 0);
    expect_adds_up(soaker);
}

TEST(Accountant, end_clips_tasks_at_the_edge_and_takes_no_time_itself) {
    auto soaker = begun();
    const Ticks edge = soaker.now() + 30'000;
    soaker.switch_away(100'000);
    soaker.end(edge);
    EXPECT_EQ(soaker.tally().until, edge);
    EXPECT_EQ(soaker.tally().task_ticks, 30'000 - 250);
    EXPECT_EQ(soaker.tally().stall_ticks, 30'000 - 250);
    EXPECT_EQ(soaker.tally().own_ticks, reading_cost); // the one of begin
    expect_adds_up(soaker);
}

TEST(Accountant, end_counts_nothing_of_a_reading_interrupted_after_the_edge) {
    auto soaker = begun();
    const Ticks edge = soaker.now() + 30'000;
    soaker.switch_away(100'000);
    soaker.reading_switched_away(10'000'000);
    soaker.end(edge);
    EXPECT_EQ(soaker.tally().until, edge);
    EXPECT_EQ(soaker.tally().stall_ticks, 30'000 - 250);
    EXPECT_EQ(soaker.tally().task_ticks, 30'000 - 250);
    EXPECT_EQ(soaker.tally().own_ticks, reading_cost);
    expect_adds_up(soaker);
}

TEST(Accountant, an_edge_already_accounted_for_changes_nothing) {
    auto soaker = begun();
    soaker.chunks(walk, 3);
    const Tally before = soaker.tally();
    soaker.end(soaker.now());
    EXPECT_EQ(usual::words(soaker.tally()), usual::words(before));
    soaker.end(ScriptedSoaker::start);
    EXPECT_EQ(usual::words(soaker.tally()), usual::words(before));
}

} // namespace
} // namespace soak
