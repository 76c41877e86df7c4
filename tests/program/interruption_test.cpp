#include "tests/program/program.h"

#include <gmock/gmock.h>

#include <csignal>
#include <unistd.h>

namespace {

using program::Running;
using program::short_run;
using testing::HasSubstr;

/// Says that it runs, then does so; traffic on loopback meanwhile.
std::vector<std::string> load_of(const std::string& time) {
    const std::string load = "'" + program::path + "' load udp --rate 5k --format json -t ";
    return {"/bin/sh", "-c", "echo started; exec " + load + time};
}

TEST(Interruption, ends_early_and_still_reports) {
    Running running(short_run({}, load_of("60s")));
    ASSERT_TRUE(running.says("started"));
    usleep(1'500'000);
    running.signal(SIGINT);
    const auto ended = running.wait();
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    const auto report = ended.json();
    EXPECT_GT(report.at("work").at("packets").get<double>(), 0);
    EXPECT_FALSE(report.at("demand").empty());
}

TEST(Interruption, a_second_one_ends_a_benchmark_that_does_not_listen) {
    Running running(
        short_run({}, {"/bin/sh", "-c", "trap '' INT; echo started; sleep 1000 & wait"}));
    ASSERT_TRUE(running.says("started"));
    running.signal(SIGINT);
    usleep(300'000);
    EXPECT_TRUE(program::is_alive(running.pid()));
    running.signal(SIGINT);
    EXPECT_EQ(running.wait().json().at("benchmark").at("exit_status"), 128 + SIGKILL);
}

TEST(Interruption, leaves_no_soaker_and_no_group) {
    Running running(short_run({}, load_of("60s")));
    ASSERT_TRUE(running.says("started"));
    const pid_t soakers = program::find_soakers(running.pid());
    ASSERT_GT(soakers, 0);
    const pid_t owner = running.pid();
    running.signal(SIGTERM);
    running.wait();
    EXPECT_FALSE(program::is_alive(soakers));
    EXPECT_TRUE(program::groups_of(owner).empty());
}

TEST(Interruption, after_sigkill_the_next_start_cleans_up) {
    Running running(short_run({}, load_of("60s")));
    ASSERT_TRUE(running.says("started"));
    const pid_t owner = running.pid();
    const pid_t soakers = program::find_soakers(owner);
    ASSERT_GT(soakers, 0);
    running.signal(SIGKILL);
    running.wait();
    EXPECT_TRUE(program::goes(soakers));
    const auto next = program::run({"watch", "-n", "1", "-p", "100ms"});
    EXPECT_TRUE(program::measured(next)) << next.err;
    EXPECT_TRUE(program::groups_of(owner).empty());
}

TEST(Interruption, killed_soakers_make_the_run_fail_and_are_told) {
    Running running(short_run({}, load_of("2s")));
    ASSERT_TRUE(running.says("started"));
    const pid_t soakers = program::find_soakers(running.pid());
    ASSERT_GT(soakers, 0);
    kill(soakers, SIGKILL);
    const auto ended = running.wait();
    EXPECT_EQ(ended.exit_status, 1);
    EXPECT_THAT(ended.err, HasSubstr("the soakers' process was killed"));
}

TEST(Interruption, a_pause_of_the_program_costs_the_phase_it_hit) {
    Running running(short_run({}, load_of("2s")));
    ASSERT_TRUE(running.says("started"));
    usleep(500'000);
    running.signal(SIGSTOP);
    usleep(500'000);
    running.signal(SIGCONT);
    const auto ended = running.wait();
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    EXPECT_TRUE(program::has_warning(ended.json(), "discarded-overrun")) << ended.out;
}

TEST(Interruption, watch_stops_on_request) {
    Running running({"watch", "-p", "100ms"});
    ASSERT_TRUE(running.says("System load"));
    running.signal(SIGINT);
    EXPECT_EQ(running.wait().exit_status, 0);
}

TEST(Interruption, a_reader_who_leaves_is_no_error) {
    const auto ended = program::run({}, {.before = {"sh", "-c",
                                                    "\"$0\" watch -p 50ms | head -n 1; exit "
                                                    "${PIPESTATUS:-0}"}});
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("System load"));
}

} // namespace
