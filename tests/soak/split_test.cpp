#include "soak/split.h"
#include "tests/soak/usual.h"

#include <gtest/gtest.h>

#include <random>

namespace soak {
namespace {

using namespace std::chrono_literals;

const Timebase two_ghz(true, usual::ticks_per_ns);

/// What a soaker counted in a window, told in chunks and their mean times.
struct Counted {
    Tally tally;

    Counted& chunks(ChunkKind kind, int64_t count, Ticks mean) {
        auto& chunks = tally.chunks[index(kind)];
        chunks.done += count;
        chunks.ticks += count * mean;
        tally.until += count * mean;
        return *this;
    }
    /// A stall of a walking chunk.
    Counted& stall(Ticks ticks, Ticks tasks = 0) {
        auto& chunks = tally.chunks[index(ChunkKind::walk)];
        ++chunks.done, ++chunks.stalled;
        tally.stall_ticks += ticks;
        tally.task_ticks += tasks;
        tally.until += ticks + usual::limits().nominal[index(ChunkKind::walk)];
        return *this;
    }
    /// A stall of a yardstick, too short to show in a walking chunk.
    Counted& short_stall(Ticks ticks) {
        auto& chunks = tally.chunks[index(ChunkKind::latency)];
        ++chunks.done, ++chunks.stalled;
        tally.stall_ticks += ticks;
        tally.short_ticks += ticks;
        tally.until += ticks + usual::limits().nominal[index(ChunkKind::latency)];
        return *this;
    }
    Counted& own(Ticks ticks) {
        tally.own_ticks += ticks;
        tally.until += ticks;
        return *this;
    }
    CpuWindow split() const { return soak::split(tally, usual::calibration(3), two_ghz); }
};

/// 3000 walking chunks and 100 of each yardstick, of these mean times.
Counted counted(Ticks walk, Ticks latency, Ticks throughput) {
    return Counted()
        .chunks(ChunkKind::walk, 3000, walk)
        .chunks(ChunkKind::latency, 100, latency)
        .chunks(ChunkKind::throughput, 100, throughput);
}

/// Soaked time of counted(): (3000 * 250 + 100 * 200 + 100 * 220) / 2.
constexpr auto soaked = 396'000ns;

Nanoseconds sum(const Causes& causes) {
    return causes.tasks + causes.interrupts + causes.hypervisor.value_or(0ns) + causes.core +
           causes.cache + causes.unexplained;
}

TEST(Split, nothing_stolen) {
    const auto window = counted(250, 200, 220).split();
    EXPECT_EQ(window.cpu, 3);
    EXPECT_EQ(window.elapsed, soaked);
    EXPECT_EQ(window.soaked, soaked);
    EXPECT_EQ(window.own, 0ns);
    EXPECT_EQ(window.stolen, 0ns);
    EXPECT_EQ(window.causes.tasks, 0ns);
    EXPECT_EQ(window.causes.interrupts, 0ns);
    EXPECT_EQ(window.causes.core, 0ns);
    EXPECT_EQ(window.causes.cache, 0ns);
    EXPECT_EQ(window.causes.unexplained, 0ns);
    EXPECT_EQ(window.stalls, 0u);
    EXPECT_DOUBLE_EQ(window.core_share_ratio.value(), 1);
}

TEST(Split, stalls_are_tasks_and_interrupts) {
    const auto window =
        counted(250, 200, 220).stall(50'000, 50'000).stall(30'000, 10'000).stall(20'000).split();
    EXPECT_EQ(window.elapsed, soaked + 50'375ns);
    EXPECT_EQ(window.stolen, 50'000ns);
    EXPECT_EQ(window.causes.tasks, 30'000ns);
    EXPECT_EQ(window.causes.interrupts, 20'000ns);
    EXPECT_EQ(window.causes.unexplained, 0ns);
    EXPECT_EQ(window.stalls, 3u);
}

TEST(Split, keeps_for_how_long_the_thread_clock_stood_still) {
    auto stalled = counted(250, 200, 220).stall(30'000).stall(20'000);
    stalled.tally.clock_stop_ticks = 44'000;
    const auto window = stalled.split();
    EXPECT_EQ(window.clock_stopped, 22'000ns);
    EXPECT_EQ(window.causes.interrupts, 25'000ns);
}

TEST(Split, where_interrupts_are_not_measured_there_is_no_hypervisor) {
    EXPECT_FALSE(counted(250, 200, 220).stall(20'000).split().causes.hypervisor);
}

TEST(Split, own_time_is_in_no_cause) {
    const auto window = counted(250, 200, 220).own(6000).split();
    EXPECT_EQ(window.own, 3000ns);
    EXPECT_EQ(window.stolen, 0ns);
    EXPECT_EQ(window.elapsed, soaked + 3000ns);
}

TEST(Split, a_slower_core_slows_everything_alike) {
    const auto window = counted(275, 220, 242).split();
    EXPECT_EQ(window.causes.core, 39'600ns); // a tenth of what was soaked
    EXPECT_EQ(window.causes.cache, 0ns);
    EXPECT_EQ(window.causes.unexplained, 0ns);
    EXPECT_NEAR(window.core_share_ratio.value(), 1 / 1.1, 1e-12);
}

TEST(Split, misses_slow_only_the_walk) {
    const auto window = counted(300, 200, 220).split();
    EXPECT_EQ(window.causes.core, 0ns);
    EXPECT_EQ(window.causes.cache, 75'000ns); // 3000 chunks of 25 ns
    EXPECT_EQ(window.causes.unexplained, 0ns);
}

TEST(Split, a_slower_core_and_misses) {
    const auto window = counted(300, 220, 242).split();
    EXPECT_EQ(window.causes.core, 39'600ns);
    EXPECT_EQ(window.causes.cache, 3000 * 12'500ns / 1000); // 150 ns instead of 137.5
    EXPECT_EQ(window.causes.unexplained, 0ns);
}

TEST(Split, the_core_is_bounded_by_the_walk) {
    // A busy sibling: the chain takes twice as long, the walk 20 % longer.
    const auto window = counted(300, 400, 440).split();
    EXPECT_EQ(window.causes.core, 79'200ns); // 20 % of what was soaked
    EXPECT_EQ(window.causes.cache, 0ns);
    // The yardsticks' own slow-down beyond that: 100 * (200 - 40 + 220 - 44) ticks.
    EXPECT_EQ(window.causes.unexplained, 16'800ns);
    EXPECT_NEAR(window.core_share_ratio.value(), 0.5, 1e-12);
}

TEST(Split, counts_slow_blocks_among_those_without_a_stall) {
    auto shared = counted(250, 200, 220);
    shared.tally.contended_blocks = 24;
    auto& blocks = shared.tally.chunks[index(ChunkKind::throughput)];
    blocks.done += 20, blocks.stalled += 20;
    EXPECT_EQ(shared.split().throughput_blocks, 100u);
    EXPECT_EQ(shared.split().contended_blocks, 24u);
}

TEST(Split, small_negative_values_stay_negative) {
    auto window = counted(248, 200, 220).split();
    EXPECT_EQ(window.causes.cache, -3000ns);
    EXPECT_EQ(window.stolen, -3000ns);
    window = counted(245, 196, 220).split(); // both 2 % faster
    EXPECT_EQ(window.causes.core, -7920ns);
    EXPECT_EQ(window.causes.cache, 0ns);
    EXPECT_EQ(window.causes.unexplained, window.stolen + 7920ns);
}

TEST(Split, short_stalls_that_walking_chunks_hide_are_interrupts_not_misses) {
    // A tenth of the yardsticks' time was short stalls; so a tenth of the walk's is.
    auto change = counted(275, 200, 220);
    change.short_stall(2100).short_stall(2100);
    const auto window = change.split();
    const auto hidden = 3000 * 275 * 4200ns / 42'000 / 2;
    EXPECT_EQ(window.causes.interrupts, 2100ns + hidden);
    EXPECT_EQ(window.causes.cache, 3000 * 25ns / 2 - hidden);
    EXPECT_EQ(window.causes.unexplained, 0ns);
}

TEST(Split, without_yardsticks_nothing_is_said_of_the_core) {
    const auto window = Counted().chunks(ChunkKind::walk, 3000, 300).stall(20'000).split();
    EXPECT_FALSE(window.core_share_ratio);
    EXPECT_EQ(window.throughput_blocks, 0u);
    EXPECT_EQ(window.causes.core, 0ns);
    EXPECT_EQ(window.causes.cache, 75'000ns);
    EXPECT_EQ(sum(window.causes), window.stolen);
}

TEST(Split, a_cpu_whose_soaker_never_ran) {
    Tally tally;
    tally.stall_ticks = tally.task_ticks = tally.until = 2'000'000;
    const auto window = split(tally, usual::calibration(), two_ghz);
    EXPECT_EQ(window.elapsed, 1ms);
    EXPECT_EQ(window.stolen, 1ms);
    EXPECT_EQ(window.causes.tasks, 1ms);
    EXPECT_EQ(window.causes.unexplained, 0ns);
}

TEST(Split, causes_add_up_to_the_nanosecond) {
    std::mt19937_64 random(2001);
    const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() >> 1) % limit; };
    for (int i = 0; i < 1000; ++i) {
        auto change = counted(200 + below(200), 150 + below(300), 150 + below(300));
        for (int stalls = static_cast<int>(below(20)); stalls > 0; --stalls) {
            const Ticks ticks = 8000 + below(1'000'000);
            change.stall(ticks, below(ticks));
            change.short_stall(below(5000));
        }
        change.own(below(100'000));
        // Rates that make every time a fraction of nanoseconds.
        const Timebase uneven(true, 1 + static_cast<double>(below(1000)) / 333);
        const auto window = split(change.tally, usual::calibration(), uneven);
        ASSERT_EQ(sum(window.causes), window.stolen);
        ASSERT_EQ(window.soaked + window.own + window.stolen, window.elapsed);
    }
}

TEST(CoreSlowDown, lies_between_one_and_the_walk) {
    EXPECT_DOUBLE_EQ(core_slow_down(1.10, 1.20), 1.10);
    EXPECT_DOUBLE_EQ(core_slow_down(2.00, 1.19), 1.19);
    EXPECT_DOUBLE_EQ(core_slow_down(0.95, 0.90), 0.95);
    EXPECT_DOUBLE_EQ(core_slow_down(0.80, 0.90), 0.90);
}

TEST(CoreSlowDown, is_one_where_chain_and_walk_disagree) {
    EXPECT_DOUBLE_EQ(core_slow_down(1.10, 0.98), 1);
    EXPECT_DOUBLE_EQ(core_slow_down(0.98, 1.10), 1);
    EXPECT_DOUBLE_EQ(core_slow_down(1.00, 1.10), 1);
    EXPECT_DOUBLE_EQ(core_slow_down(1.10, 1.00), 1);
}

TEST(MoveToOwn, moves_what_there_is) {
    auto window = counted(250, 200, 220).stall(50'000, 50'000).stall(20'000).split();
    EXPECT_EQ(move_to_own(window, 10'000ns), 10'000ns);
    EXPECT_EQ(window.causes.tasks, 15'000ns);
    EXPECT_EQ(window.own, 10'000ns);
    EXPECT_EQ(move_to_own(window, 20'000ns), 15'000ns);
    EXPECT_EQ(window.causes.tasks, 0ns);
    EXPECT_EQ(move_to_own(window, 20'000ns), 0ns);
    EXPECT_EQ(move_to_own(window, -20'000ns), 0ns);
    EXPECT_EQ(sum(window.causes), window.stolen);
    EXPECT_EQ(window.soaked + window.own + window.stolen, window.elapsed);
}

TEST(MoveToOwn, takes_nothing_from_less_than_nothing) {
    CpuWindow window;
    window.causes.tasks = -5ns;
    EXPECT_EQ(move_to_own(window, 10ns), 0ns);
    EXPECT_EQ(window.causes.tasks, -5ns);
}

} // namespace
} // namespace soak
