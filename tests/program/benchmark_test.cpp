#include "base/files.h"
#include "tests/program/program.h"

#include <gmock/gmock.h>

#include <csignal>

namespace {

using program::has_warning;
using program::run;
using program::short_run;
using testing::HasSubstr;

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

const std::string ordinary_load = "'" + program::path + "' load udp --rate 5k -t 2s >/dev/null";

TEST(Benchmark, its_own_result_becomes_the_work) {
    const auto ended = run(short_run({}));
    ASSERT_TRUE(program::measured(ended)) << ended.err;
    const auto report = ended.json();
    EXPECT_EQ(report.at("work").at("source"), "cyclesoak load");
    EXPECT_EQ(report.at("work").at("proxy"), "lo packets");
    EXPECT_GT(report.at("work").at("packets").get<double>(), 1000);
    EXPECT_EQ(report.at("benchmark").at("exit_status"), 0);
    EXPECT_GE(report.at("demand").size(), 2u);
}

TEST(Benchmark, can_be_repeated_with_a_report_each) {
    const auto ended = run(short_run({"--repeat", "2"}, {"sleep", "0.3"}));
    EXPECT_EQ(ended.json().at("runs").size(), 2u) << ended.err;
}

TEST(Benchmark, that_does_not_exist_is_named) {
    const auto ended = run(short_run({}, {"no-such-benchmark"}));
    EXPECT_EQ(ended.exit_status, 1);
    EXPECT_THAT(ended.err, HasSubstr("no-such-benchmark"));
    EXPECT_THAT(ended.err, HasSubstr("No such file"));
}

TEST(Benchmark, that_fails_is_reported_with_its_last_lines) {
    const auto ended =
        run(short_run({}, shell(ordinary_load + "; echo the server is gone >&2; exit 7")));
    EXPECT_EQ(ended.exit_status, 1);
    EXPECT_EQ(ended.json().at("benchmark").at("exit_status"), 7);
    EXPECT_THAT(ended.err, HasSubstr("failed with exit status 7; it said:\nthe server is gone"));
}

TEST(Benchmark, that_crashes_is_reported_as_a_shell_would) {
    const auto ended = run(short_run({}, shell("sleep 1; kill -SEGV $$")));
    EXPECT_EQ(ended.exit_status, 1);
    EXPECT_EQ(ended.json().at("benchmark").at("exit_status"), 128 + SIGSEGV);
}

TEST(Benchmark, that_hangs_is_ended_with_its_children) {
    const auto folder = program::fresh_folder("hang");
    const auto pid_file = (folder / "pid").string();
    const auto ended = run(short_run(
        {"--timeout", "1s"}, shell("trap '' TERM; sleep 1000 & echo $! >" + pid_file + "; wait")));
    EXPECT_EQ(ended.exit_status, 1);
    EXPECT_THAT(ended.err, HasSubstr("did not end in time"));
    EXPECT_TRUE(ended.json().at("benchmark").contains("exit_status"));
    EXPECT_TRUE(program::goes(std::stoi(base::read_file(pid_file).value_or("0"))));
    std::filesystem::remove_all(folder);
}

TEST(Benchmark, is_ended_after_the_duration_without_blame) {
    const auto ended = run(short_run({"--duration", "1s"}, shell(ordinary_load + "; sleep 1000")));
    EXPECT_NE(ended.exit_status, 1) << ended.err;
    EXPECT_EQ(ended.json().at("benchmark").at("exit_status"), 128 + SIGTERM);
}

TEST(Benchmark, that_prints_rubbish_leaves_the_work_to_counters) {
    const auto ended =
        run(short_run({"--parser", "iperf3"}, shell("echo rubbish; " + ordinary_load)));
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    const auto report = ended.json();
    EXPECT_TRUE(has_warning(report, "benchmark-output"));
    EXPECT_EQ(report.at("work").at("source"), "lo counters");
}

TEST(Benchmark, that_prints_rubbish_and_does_nothing_gives_no_figure) {
    const auto ended =
        run(short_run({"--parser", "iperf3", "-i", "lo"}, shell("echo rubbish; sleep 1")));
    EXPECT_EQ(ended.exit_status, 3);
    EXPECT_TRUE(ended.json().at("demand").empty());
}

TEST(Benchmark, without_work_gives_no_demand_and_says_why) {
    const auto ended = run(short_run({"-i", "lo"}, {"sleep", "1"}));
    EXPECT_EQ(ended.exit_status, 3);
    const auto report = ended.json();
    EXPECT_TRUE(report.at("demand").empty());
    EXPECT_TRUE(has_warning(report, "no-work")) << report.at("warnings");
}

TEST(Benchmark, whose_work_no_counter_sees_needs_one_kind_of_phase) {
    const std::vector<std::string> sleeper{"sleep", "1"};
    const auto both = run(short_run({"-i", "lo", "--work", "requests=100"}, sleeper));
    EXPECT_EQ(both.exit_status, 3);
    EXPECT_TRUE(has_warning(both.json(), "no-work-counter")) << both.json().at("warnings");
    const auto soaked =
        run(short_run({"-i", "lo", "--work", "requests=100", "--continuous"}, sleeper));
    EXPECT_TRUE(program::measured(soaked)) << soaked.err;
    EXPECT_EQ(soaked.json().at("demand").at(0).at("unit"), "requests");
}

TEST(Benchmark, gets_our_environment_and_its_output_reaches_stderr) {
    const auto ended = run(short_run({}, shell("echo \"it is $THING\"; sleep 0.5")),
                           {.environment = {{"THING", "here"}}});
    EXPECT_THAT(ended.err, HasSubstr("it is here\n"));
    EXPECT_EQ(ended.out.front(), '{');
}

} // namespace
