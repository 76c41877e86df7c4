#include "exporters/run_metrics.h"
#include "tests/exporters/full_report.h"
#include "tests/exporters/golden.h"

#include <gmock/gmock.h>

namespace {

using exporters::make_run_metrics;
using testing::HasSubstr;
using testing::Not;

constexpr double now = 1.7e9;

TEST(RunMetrics, of_a_full_report) {
    expect_golden("run_metrics.txt",
                  rounded(without_version(make_run_metrics({full_report()}, now))));
}

TEST(RunMetrics, of_several_runs_say_which) {
    const auto text = make_run_metrics({full_report(), full_report()}, now);
    EXPECT_THAT(text, HasSubstr("cyclesoak_run_duration_seconds{run=\"2\"}"));
    EXPECT_THAT(
        text, HasSubstr("cyclesoak_run_demand_seconds{run=\"1\",unit=\"byte\",method=\"soaked\"}"));
    const std::string type = "# TYPE cyclesoak_run_cpu_stolen_seconds ";
    EXPECT_EQ(text.find(type), text.rfind(type));
}

TEST(RunMetrics, leave_out_what_is_not_known) {
    const auto text = make_run_metrics({demand::make_report({})}, now);
    for (const char* absent :
         {"run_demand", "run_peer", "_ratio", "run_cpu", "run_work", "benchmark"})
        EXPECT_THAT(text, Not(HasSubstr(absent)));
    EXPECT_THAT(text, HasSubstr("cyclesoak_run_warning{id=\"no-work\"} 1\n"));
}

TEST(RunMetrics, do_not_know_a_sum_of_which_a_part_is_missing) {
    auto report = full_report();
    report.cpus.back().steal.reset();
    const auto text = make_run_metrics({report}, now);
    EXPECT_THAT(text, Not(HasSubstr("cyclesoak_run_cpu_steal_seconds")));
    EXPECT_THAT(text, HasSubstr("cyclesoak_run_cpu_own_seconds"));
}

TEST(RunMetrics, tell_a_doubt_once) {
    auto report = full_report();
    report.warnings = {{"no-device", "of packets"}, {"no-device", "of bytes"}};
    const auto text = make_run_metrics({report}, now);
    const std::string series = "cyclesoak_run_warning{id=\"no-device\"}";
    EXPECT_NE(text.find(series), text.npos);
    EXPECT_EQ(text.find(series), text.rfind(series));
}

TEST(RunMetrics, keep_the_benchmarks_arguments_to_themselves) {
    auto report = full_report();
    report.benchmark->command = {"/opt/netbench", "--password", "secret"};
    const auto text = make_run_metrics({report}, now);
    EXPECT_THAT(text, HasSubstr("benchmark=\"netbench\""));
    EXPECT_THAT(text, Not(HasSubstr("secret")));
}

} // namespace
