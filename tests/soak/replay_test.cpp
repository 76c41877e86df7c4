#include "base/error.h"
#include "tests/soak/scripted_recording.h"

#include <random>

namespace soak {
namespace {

Ticks below(std::mt19937& random, int limit) { return static_cast<Ticks>(random()) % limit; }

/// What happens to a soaker, by chance.
template <typename Soaker>
void disturb(Soaker& soaker, std::mt19937& random) {
    const Ticks took = below(random, 30'000);
    switch (below(random, 12)) {
    case 0:
        return soaker.interrupt(took);
    case 1:
        return soaker.switch_away(took);
    case 2:
        soaker.interrupt(took);
        return soaker.mischarge(below(random, 40'000) - 5'000);
    case 3:
        return soaker.flag();
    case 4:
        soaker.switch_away(took);
        return soaker.reading_interrupted(took);
    case 5:
        soaker.switch_away(took);
        soaker.reading_switched_away(took);
        return soaker.reading_interrupted(took);
    case 6:
        return soaker.interrupt(below(random, 10) == 0 ? 30'000'000 : 100);
    }
}

TEST(Recorder, keeps_the_accounts_that_it_writes_down) {
    std::mt19937 chance(1), same_chance(1);
    const auto ring = std::make_unique<RecordRing>();
    ring->set_wanted(true);
    RecordedSoaker recorded(*ring);
    ScriptedSoaker plain;
    recorded.begin(700);
    plain.begin(700);
    for (uint32_t i = 0; i < 5000; ++i) {
        disturb(recorded, chance);
        disturb(plain, same_chance);
        recorded.due();
        plain.chunk(scheduled_chunk(i));
        ASSERT_EQ(recorded.tally(), plain.tally());
    }
    recorded.end(recorded.now() - 10);
    plain.end(plain.now() - 10, scheduled_chunk(5000));
    EXPECT_EQ(recorded.tally(), plain.tally());
}

TEST(Recorder, writes_nothing_unless_it_is_wanted_at_the_begin) {
    const auto ring = std::make_unique<RecordRing>();
    std::string records;
    RecordedSoaker soaker(*ring);
    soaker.begin();
    ring->set_wanted(true);
    soaker.due_chunks(100);
    soaker.switch_away(50'000);
    soaker.due();
    soaker.end(soaker.now());
    ring->take(records);
    EXPECT_EQ(records, "");
    EXPECT_EQ(ring->lost_bytes(), 0u);
    soaker.begin();
    ring->set_wanted(false);
    soaker.due();
    ring->take(records);
    EXPECT_NE(records, "");
}

TEST(Replay, plays_any_sequence_to_the_same_tallies) {
    std::mt19937 random(2);
    ScriptedRecording machine;
    auto& soaker = machine.soaker();
    for (int soaking = 0; soaking < 20; ++soaking) {
        soaker.begin(below(random, 2) * 5000);
        for (int window = 0; window < 10; ++window) {
            for (Ticks i = below(random, 200); i > 0; --i) {
                disturb(soaker, random);
                soaker.due(250 + below(random, 30));
            }
            machine.mark(soaker.now() + below(random, 20'000));
        }
        soaker.end(soaker.now() + below(random, 1000) - 700);
        machine.mark();
    }
    expect_same(replayed(machine.finished()), machine.live);
    EXPECT_EQ(machine.live.size(), 20u * 11 - 1);
}

TEST(Replay, keeps_cpus_apart) {
    std::mt19937 random(3);
    ScriptedRecording machine(3);
    for (size_t cpu = 0; cpu < 3; ++cpu)
        machine.soaker(cpu).begin();
    for (int window = 0; window < 10; ++window) {
        for (size_t cpu = 0; cpu < 3; ++cpu)
            for (int i = 0; i < 100; ++i) {
                disturb(machine.soaker(cpu), random);
                machine.soaker(cpu).due();
            }
        machine.mark();
    }
    const auto windows = replayed(machine.finished());
    expect_same(windows, machine.live);
    EXPECT_NE(windows[4].cpus[0].causes.tasks, windows[4].cpus[1].causes.tasks);
}

TEST(Replay, knows_records_that_came_before_the_snapshot_and_after) {
    ScriptedRecording machine;
    auto& soaker = machine.soaker();
    soaker.begin();
    machine.mark();
    soaker.due_chunks(30);
    machine.drain(); // by the clock, while no window ends
    soaker.due_chunks(40);
    machine.mark();
    machine.mark(soaker.now() + 7000); // an instant later: a chunk is under way
    soaker.due_chunks(40);
    machine.mark();
    expect_same(replayed(machine.finished()), machine.live);
}

TEST(Replay, of_a_soaker_that_has_not_begun) {
    ScriptedRecording machine;
    auto& soaker = machine.soaker();
    soaker.begin();
    soaker.due_chunks(100);
    machine.mark();
    soaker.due_chunks(10);
    // Told to soak anew, and not on its CPU since.
    soaker.told_begin = soaker.now();
    machine.mark(soaker.now() + 50'000);
    machine.mark(soaker.now() + 150'000);
    soaker.begin(200'000);
    machine.mark();
    expect_same(replayed(machine.finished()), machine.live);
    EXPECT_EQ(machine.live[1].cpus[0].causes.tasks, Nanoseconds(50'000));
}

TEST(Replay, of_a_gap_that_is_open_at_the_edge) {
    ScriptedRecording machine;
    auto& soaker = machine.soaker();
    soaker.begin();
    machine.mark();
    soaker.due_chunks(100);
    machine.mark(soaker.now() + 1'000'000);
    soaker.switch_away(1'500'000);
    soaker.interrupt(500'000);
    soaker.due_chunks(100);
    machine.mark();
    const auto windows = replayed(machine.finished());
    expect_same(windows, machine.live);
    EXPECT_EQ(windows[0].cpus[0].causes.tasks, Nanoseconds(500'000));
    EXPECT_EQ(windows[1].cpus[0].causes.interrupts, Nanoseconds(250'000));
}

TEST(Replay, of_what_the_parent_saw) {
    ScriptedRecording machine(2);
    for (size_t cpu = 0; cpu < 2; ++cpu) {
        machine.soaker(cpu).begin();
        machine.soaker(cpu).switch_away(100'000);
        machine.soaker(cpu).due();
    }
    machine.mark();
    const auto next = [&] {
        for (size_t cpu = 0; cpu < 2; ++cpu) {
            machine.soaker(cpu).switch_away(100'000);
            machine.soaker(cpu).due_chunks(100);
        }
        machine.mark();
    };
    machine.own_cpu = std::chrono::microseconds(20), machine.own_place = 1;
    next();
    machine.clock_error = std::chrono::milliseconds(1);
    next();
    machine.overrun = true;
    next();
    machine.overrun = false;
    machine.soaker(1).displaced = true;
    next();
    const auto windows = replayed(machine.finished());
    EXPECT_EQ(machine.live[2].discarded, "");
    machine.live[2] = {.discarded = "overrun"}; // as whoever watches decides
    machine.live[2].cpus = windows[2].cpus;
    expect_same(windows, machine.live);
    EXPECT_GE(windows[0].cpus[1].own, std::chrono::microseconds(20));
    EXPECT_EQ(windows[1].discarded, "clock");
    EXPECT_EQ(windows[3].cpus.size(), 1u);
    EXPECT_EQ(windows[3].cpus[0].cpu, 0);
}

// Holes

/// Fills the ring until records are lost.
void overflow(ScriptedRecording& machine) {
    while (machine.ring().lost_bytes() < 1000)
        machine.soaker().due();
}

TEST(Replay, refuses_windows_of_which_records_are_missing_and_goes_on_behind) {
    ScriptedRecording machine;
    auto& soaker = machine.soaker();
    std::mt19937 random(4);
    const auto some = [&] {
        for (int i = 0; i < 500; ++i) {
            disturb(soaker, random);
            soaker.due();
        }
    };
    soaker.begin();
    machine.mark();
    some();
    machine.mark();
    overflow(machine); // nobody drains
    const auto lost = machine.ring().lost_bytes();
    machine.mark();
    some(); // there is room again
    machine.mark();
    for (int i = 0; i < 3; ++i) {
        some();
        machine.mark();
    }
    EXPECT_EQ(machine.ring().lost_bytes(), lost + 1); // the chunk with which it went on
    auto windows = replayed(machine.finished());
    ASSERT_EQ(windows.size(), 6u);
    EXPECT_EQ(windows[1].discarded, std::to_string(lost) + " bytes of its recording are missing");
    EXPECT_EQ(windows[2].discarded,
              std::to_string(lost + 1) + " bytes of its recording are missing");
    for (const size_t refused : {1u, 2u})
        windows[refused] = machine.live[refused];
    expect_same(windows, machine.live);
}

TEST(Replay, goes_on_behind_a_hole_with_all_that_the_accountant_remembered) {
    for (const bool mark : {true, false}) {
        const Accountant::State state{usual::filled(5), {100, 200, 300}, mark, !mark};
        RecordEncoder encoder;
        CpuReplay replay(usual::limits(), "file");
        Block block;
        encoder.resume(block.payload, state, 7);
        replay.add(std::move(block));
        replay.play_next();
        EXPECT_EQ(replay.state(), state);
        EXPECT_EQ(replay.take_lost_bytes(), 7u);
        EXPECT_EQ(replay.take_lost_bytes(), 0u);
    }
}

TEST(Replay, refuses_a_window_whose_hole_lies_inside) {
    ScriptedRecording machine;
    machine.soaker().begin();
    machine.mark();
    overflow(machine);
    machine.drain();
    machine.soaker().due_chunks(100);
    machine.mark();
    machine.soaker().due_chunks(100);
    machine.mark();
    const auto windows = replayed(machine.finished());
    EXPECT_EQ(windows[0].discarded, "1001 bytes of its recording are missing");
    EXPECT_EQ(windows[1].discarded, "");
    EXPECT_EQ(windows[1].cpus, machine.live[1].cpus);
}

TEST(Replay, refuses_a_snapshot_inside_a_hole_of_another_soaking) {
    ScriptedRecording machine;
    auto& soaker = machine.soaker();
    soaker.begin();
    machine.mark();
    overflow(machine);
    machine.mark(); // takes what is in the ring, and not what is missing
    soaker.end(soaker.now());
    soaker.begin();
    soaker.due_chunks(50);
    machine.mark();
    soaker.due_chunks(50);
    machine.mark();
    const auto windows = replayed(machine.finished());
    EXPECT_NE(windows[0].discarded, "");
    EXPECT_NE(windows[1].discarded, "");
    EXPECT_EQ(windows[2].cpus, machine.live[2].cpus);
}

TEST(Replay, counts_the_windows_it_could_not_compute) {
    ScriptedRecording machine;
    machine.soaker().begin();
    machine.mark();
    overflow(machine);
    machine.mark();
    machine.mark();
    std::istringstream file(machine.finished());
    RecordingReader reader(file, "file");
    Replay replay(reader);
    while (replay.next()) {
    }
    EXPECT_EQ(replay.incomplete(), 2);
}

// Records that contradict each other

TEST(Replay, notices_readings_that_this_accountant_would_not_take) {
    for (const bool missing : {true, false}) {
        RecordEncoder encoder;
        std::string records;
        encoder.begin(records, 1000, {1010, 5, 1020});
        const std::array one{Reading{99'000, 50'000, 99'020}};
        encoder.chunk(records, 98'980, missing ? 97'960 : 250, true,
                      std::span(one).first(missing ? 0 : 1));
        CpuReplay replay(usual::limits(), "file");
        replay.add({.type = BlockType::records, .place = 500, .payload = records});
        try {
            replay.play_to(1000, 1);
            FAIL();
        } catch (const base::ParseError& error) {
            EXPECT_EQ(std::string(error.what()),
                      "file: damaged at byte " + std::to_string(500 + records.size()) +
                          (missing ? ": a clock reading is missing before it"
                                   : ": there is a clock reading too many before it"));
        }
    }
}

TEST(Replay, notices_a_snapshot_that_the_records_do_not_reach) {
    ScriptedRecording machine;
    machine.soaker().begin();
    machine.mark();
    machine.soaker().due_chunks(10);
    std::string nowhere;
    machine.ring().take(nowhere);
    machine.mark();
    EXPECT_THROW(replayed(machine.finished()), base::ParseError);
}

} // namespace
} // namespace soak
