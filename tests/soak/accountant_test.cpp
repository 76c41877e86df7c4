#include "tests/soak/scripted_soaker.h"

#include <gtest/gtest.h>

#include <random>

namespace soak {
namespace {

constexpr auto walk = ChunkKind::walk;
constexpr auto latency = ChunkKind::latency;
constexpr Ticks reading_cost = ScriptedSoaker::reading_cost;
const Ticks usual_reading = usual::limits().reading / Limits::usual_readings;
/// How old the reference may be before the CPU clock is looked at without a switch: 10 ms.
constexpr Ticks reference_age = 20'000'000;

// Chunks

TEST(Accountant, sums_unstalled_chunks_by_kind) {
    auto soaker = begun();
    soaker.chunk(walk, 250);
    soaker.chunk(walk, 273);
    soaker.chunk(latency, 200);
    EXPECT_EQ(of(soaker, walk).done, 2);
    EXPECT_EQ(of(soaker, walk).ticks, 523);
    EXPECT_EQ(of(soaker, latency).done, 1);
    EXPECT_EQ(of(soaker, latency).ticks, 200);
    EXPECT_EQ(of(soaker, ChunkKind::throughput).done, 0);
    EXPECT_EQ(soaker.tally().stalls(), 0);
    EXPECT_EQ(soaker.tally().stall_ticks, 0);
    EXPECT_EQ(soaker.readings(), 1);
    expect_adds_up(soaker);
}

TEST(Accountant, a_chunk_as_long_as_the_threshold_is_no_stall) {
    auto soaker = begun();
    soaker.chunk(walk, 8000);
    EXPECT_EQ(of(soaker, walk).stalled, 0);
    soaker.chunk(walk, 8001);
    EXPECT_EQ(of(soaker, walk).stalled, 1);
    EXPECT_EQ(of(soaker, walk).ticks, 8000);
    EXPECT_EQ(soaker.tally().stall_ticks, 8001 - 250);
}

TEST(Accountant, each_kind_has_its_own_threshold) {
    auto soaker = begun();
    soaker.chunk(walk, 900);
    soaker.chunk(latency, 900);
    soaker.chunk(ChunkKind::throughput, 900);
    EXPECT_EQ(of(soaker, walk).stalled, 0);
    EXPECT_EQ(of(soaker, latency).stalled, 1);
    EXPECT_EQ(of(soaker, ChunkKind::throughput).stalled, 1);
    EXPECT_EQ(soaker.tally().stall_ticks, 700 + 680);
}

TEST(Accountant, counts_blocks_that_took_over_half_as_long_again) {
    auto soaker = begun();
    soaker.chunk(ChunkKind::throughput, 330);
    EXPECT_EQ(soaker.tally().contended_blocks, 0);
    soaker.chunk(ChunkKind::throughput, 331);
    soaker.chunk(ChunkKind::throughput, 880);
    EXPECT_EQ(soaker.tally().contended_blocks, 2);
    soaker.chunk(ChunkKind::throughput, 881); // a stall
    soaker.chunk(walk, 7000);
    soaker.chunk(latency, 700);
    EXPECT_EQ(soaker.tally().contended_blocks, 2);
}

// Stalls without a switch

TEST(Accountant, a_stall_without_a_switch_is_no_task_and_takes_no_reading) {
    auto soaker = begun();
    soaker.interrupt(20'000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.tally().stall_ticks, 20'000);
    EXPECT_EQ(soaker.tally().task_ticks, 0);
    EXPECT_EQ(soaker.readings(), 1);
    expect_adds_up(soaker);
}

TEST(Accountant, looks_at_the_cpu_clock_when_the_reference_is_old) {
    auto soaker = begun();
    soaker.interrupt(reference_age - 10'000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.readings(), 1); // not yet
    soaker.interrupt(20'000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.readings(), 2);
    EXPECT_EQ(soaker.tally().task_ticks, 0);
    EXPECT_EQ(soaker.tally().clock_stop_ticks, 0); // the clock ran all the while
    EXPECT_EQ(soaker.tally().own_ticks, 2 * reading_cost);
    soaker.interrupt(20'000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.readings(), 2); // the reference is new again
    expect_adds_up(soaker);
}

TEST(Accountant, an_old_reference_alone_takes_no_reading) {
    auto soaker = begun();
    soaker.chunks(walk, static_cast<int>(reference_age / 250) + 10);
    EXPECT_EQ(soaker.readings(), 1);
}

TEST(Accountant, tells_a_clock_that_stops_without_a_switch) {
    auto soaker = begun();
    soaker.interrupt(reference_age);
    soaker.mischarge(3'000'000); // IRQ_TIME_ACCOUNTING: part of it is not charged to the thread
    soaker.chunk(walk);
    EXPECT_EQ(soaker.tally().clock_stop_ticks, 3'000'000);
    EXPECT_EQ(soaker.tally().task_ticks, 0);
    EXPECT_EQ(soaker.tally().stall_ticks, reference_age);
}

TEST(Accountant, where_the_clock_stops_a_switch_is_not_charged_with_interrupts_before) {
    auto soaker = begun();
    const auto uncharged_interrupt = [&](Ticks took) {
        soaker.interrupt(took);
        soaker.mischarge(took);
        soaker.chunk(walk);
    };
    uncharged_interrupt(reference_age);
    for (int i = 0; i < 10; ++i)
        uncharged_interrupt(30'000);
    soaker.interrupt(50'000);
    soaker.switch_away(20'000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.tally().task_ticks, 20'000);
    EXPECT_EQ(soaker.tally().clock_stop_ticks, reference_age + 300'000);
    expect_adds_up(soaker);
}

// Stalls with a switch

TEST(Accountant, a_stall_with_a_switch_is_tasks) {
    auto soaker = begun();
    soaker.switch_away(50'000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.tally().stall_ticks, 50'000);
    EXPECT_EQ(soaker.tally().task_ticks, 50'000);
    EXPECT_EQ(soaker.tally().clock_stop_ticks, 0);
    EXPECT_EQ(soaker.tally().own_ticks, 2 * reading_cost);
    expect_adds_up(soaker);
}

TEST(Accountant, the_cpu_clock_tells_tasks_from_interrupts_of_one_stall) {
    auto soaker = begun();
    soaker.interrupt(20'000);
    soaker.switch_away(30'000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.tally().stall_ticks, 50'000);
    EXPECT_EQ(soaker.tally().task_ticks, 30'000);
}

TEST(Accountant, a_second_stall_counts_only_what_came_since_the_last_reading) {
    auto soaker = begun();
    soaker.switch_away(50'000);
    soaker.chunk(walk);
    soaker.chunks(walk, 100);
    soaker.interrupt(40'000);
    soaker.switch_away(10'000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.tally().task_ticks, 60'000);
    EXPECT_EQ(soaker.tally().stall_ticks, 100'000);
}

TEST(Accountant, tasks_are_never_more_than_the_stall) {
    auto soaker = begun();
    // Woken from another CPU, the task is charged from then on; the soaker still runs for a while.
    soaker.mischarge(40'000);
    soaker.chunks(walk, 160);
    soaker.switch_away(10'000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.tally().stall_ticks, 10'000);
    EXPECT_EQ(soaker.tally().task_ticks, 10'000);
    expect_adds_up(soaker);
}

TEST(Accountant, what_was_charged_too_much_is_not_booked_later) {
    auto soaker = begun();
    soaker.mischarge(40'000);
    soaker.switch_away(10'000);
    soaker.chunk(walk);
    soaker.interrupt(30'000);
    soaker.flag();
    soaker.chunk(walk);
    EXPECT_EQ(soaker.tally().task_ticks, 10'000);
}

TEST(Accountant, tasks_are_never_negative) {
    auto soaker = begun();
    soaker.mischarge(-500);
    soaker.interrupt(20'000);
    soaker.flag();
    soaker.chunk(walk);
    EXPECT_EQ(soaker.tally().task_ticks, 0);
    EXPECT_EQ(soaker.tally().stall_ticks, 20'000);
}

// The flag comes early

TEST(Accountant, a_flag_that_comes_one_chunk_early_waits_for_the_stall) {
    auto soaker = begun();
    soaker.flag();
    soaker.chunk(walk);
    EXPECT_EQ(soaker.readings(), 1); // no stall, no reading
    soaker.switch_away(50'000, false);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.tally().task_ticks, 50'000);
    expect_adds_up(soaker);
}

TEST(Accountant, a_flag_serves_one_stall) {
    auto soaker = begun();
    soaker.switch_away(50'000);
    soaker.chunk(walk);
    soaker.interrupt(20'000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.readings(), 2);
    EXPECT_EQ(soaker.tally().task_ticks, 50'000);
}

TEST(Accountant, begin_forgets_a_flag_from_before) {
    auto soaker = begun();
    soaker.flag();
    soaker.chunk(walk);
    soaker.begin();
    soaker.interrupt(20'000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.readings(), 2); // one a begin
}

// Readings that are interrupted themselves

TEST(Accountant, an_interrupted_reading_is_taken_again_from_the_old_reference) {
    auto soaker = begun();
    soaker.switch_away(50'000);
    soaker.reading_switched_away(30'000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.readings(), 3);
    // What the interrupted reading took beyond the usual belongs to the stall.
    const Ticks excess = 30'000 + reading_cost - usual_reading;
    EXPECT_EQ(soaker.tally().stall_ticks, 50'000 + excess);
    EXPECT_EQ(soaker.tally().task_ticks, 50'000 + 30'000);
    EXPECT_EQ(soaker.tally().own_ticks, reading_cost + usual_reading + reading_cost);
    expect_adds_up(soaker);
}

TEST(Accountant, an_interrupt_in_a_reading_is_no_task) {
    auto soaker = begun();
    soaker.switch_away(50'000);
    soaker.reading_interrupted(30'000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.tally().task_ticks, 50'000);
    EXPECT_EQ(soaker.tally().stall_ticks, 50'000 + 30'000 + reading_cost - usual_reading);
    expect_adds_up(soaker);
}

TEST(Accountant, readings_are_retried_only_so_often) {
    auto soaker = begun();
    soaker.switch_away(50'000);
    for (int i = 0; i < 100; ++i)
        soaker.reading_interrupted(30'000);
    soaker.chunk(walk);
    EXPECT_LE(soaker.readings(), 20);
    EXPECT_LE(soaker.tally().task_ticks, soaker.tally().stall_ticks);
    // None of them is the instrument's fault, the last no more than the others.
    EXPECT_EQ(soaker.tally().own_ticks, reading_cost + (soaker.readings() - 1) * usual_reading);
    expect_adds_up(soaker);
}

TEST(Accountant, without_limits_it_still_adds_up) {
    ScriptedSoaker soaker(Limits{}); // nothing was ever calibrated
    soaker.begin();
    soaker.chunk(walk, 250);
    soaker.switch_away(10'000);
    soaker.chunk(latency, 200);
    expect_adds_up(soaker);
}

// Stalls too short to show in a walking chunk

TEST(Accountant, short_stalls_of_yardsticks_are_told_apart) {
    auto soaker = begun();
    soaker.interrupt(2000);
    soaker.chunk(latency);
    soaker.interrupt(3000);
    soaker.chunk(ChunkKind::throughput);
    EXPECT_EQ(soaker.tally().short_ticks, 5000);
    EXPECT_EQ(soaker.tally().stall_ticks, 5000);
    EXPECT_EQ(soaker.tally().task_ticks, 0);
}

TEST(Accountant, stalls_that_walking_chunks_show_too_are_not_short) {
    auto soaker = begun();
    soaker.interrupt(8000 - 250); // a walking chunk of usual length hides that just so
    soaker.chunk(latency);
    EXPECT_EQ(soaker.tally().short_ticks, 8000 - 250);
    soaker.interrupt(8000 - 250 + 1);
    soaker.chunk(latency);
    soaker.interrupt(9000);
    soaker.chunk(walk);
    EXPECT_EQ(soaker.tally().short_ticks, 8000 - 250);
}

TEST(Accountant, short_switches_are_tasks_and_not_extrapolated) {
    auto soaker = begun();
    soaker.switch_away(2000);
    soaker.chunk(latency);
    EXPECT_EQ(soaker.tally().short_ticks, 0);
    EXPECT_EQ(soaker.tally().task_ticks, 2000);
}

// Whatever happens

/// One random thing, small or large, and then a chunk.
void anything(ScriptedSoaker& soaker, std::mt19937& random) {
    const auto below = [&](int limit) { return static_cast<Ticks>(random()) % limit; };
    switch (below(12)) {
    case 0:
        soaker.interrupt(below(100'000));
        break;
    case 1:
        soaker.switch_away(below(1'000'000));
        break;
    case 2:
        soaker.switch_away(below(100'000), false);
        break;
    case 3:
        soaker.flag();
        break;
    case 4:
        soaker.mischarge(below(20'000) - 5'000);
        break;
    case 5:
        soaker.reading_interrupted(below(50'000));
        break;
    case 6:
        soaker.reading_switched_away(below(50'000));
        break;
    default:
        break;
    }
    soaker.chunk(static_cast<ChunkKind>(below(chunk_kinds)), 100 + below(300));
}

void expect_sound(const ScriptedSoaker& soaker) {
    const Tally& tally = soaker.tally();
    expect_adds_up(soaker);
    EXPECT_LE(tally.task_ticks, tally.stall_ticks);
    EXPECT_GE(tally.task_ticks, 0);
    EXPECT_LE(tally.short_ticks, tally.stall_ticks);
    EXPECT_GE(tally.own_ticks, -200); // the edge may be ahead of this CPU's clock
    for (const auto& kind : tally.chunks)
        EXPECT_LE(kind.stalled, kind.done);
}

TEST(Accountant, adds_up_to_the_tick_after_any_sequence) {
    std::mt19937 random(2001);
    for (int soaking = 0; soaking < 200; ++soaking) {
        ScriptedSoaker soaker;
        soaker.begin(static_cast<Ticks>(random() % 10'000) - 200);
        const auto count = random() % 100;
        for (unsigned i = 0; i < count; ++i) {
            anything(soaker, random);
            expect_sound(soaker);
        }
        const Ticks edge = soaker.now() + static_cast<Ticks>(random() % 20'000) - 1000;
        anything(soaker, random);
        soaker.end(edge);
        expect_sound(soaker);
        ASSERT_FALSE(testing::Test::HasFailure()) << "soaking " << soaking;
    }
}

TEST(Accountant, is_a_function_of_what_it_is_told) {
    const auto play = [] {
        std::mt19937 random(7);
        auto soaker = begun();
        for (int i = 0; i < 1000; ++i)
            anything(soaker, random);
        return usual::words(soaker.tally());
    };
    EXPECT_EQ(play(), play());
}

} // namespace
} // namespace soak
