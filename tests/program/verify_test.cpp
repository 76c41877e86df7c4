#include "base/files.h"
#include "base/text.h"
#include "tests/program/program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>
#include <unistd.h>

namespace {

using program::Ended;
using program::Running;
using testing::HasSubstr;

std::vector<std::string> verify(const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"verify", "--format", "json", "--quiet"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
}

/// 0, or 3 where the machine is too noisy: how accurate it is, is not for a test to say.
void expect_verified(const Ended& ended) {
    EXPECT_THAT(ended.exit_status, testing::AnyOf(0, 3)) << ended.err;
    EXPECT_EQ(ended.json()["trustworthy"], ended.exit_status == 0);
    EXPECT_EQ(ended.json()["complete"], true);
}

TEST(Verify, measures_a_load_of_known_cost_with_both_instruments) {
    const auto ended = program::run(verify({"burn-25-1ms-walk"}));
    expect_verified(ended);
    const auto report = ended.json();
    ASSERT_EQ(report["loads"].size(), 2u);
    EXPECT_EQ(report["loads"][0]["name"], "idle");
    EXPECT_EQ(report["loads"][0]["true_ratio"], 0);
    const auto& walk = report["loads"][1];
    EXPECT_GT(walk["true_ratio"], 0);
    for (const char* key : {"tasks_ratio", "stolen_ratio", "baseline_ratio", "interrupts_ratio",
                            "core_ratio", "cache_ratio", "unexplained_ratio", "idle_time_ratio"})
        EXPECT_TRUE(walk.contains(key)) << key;
}

TEST(Verify, measures_what_is_taken_and_how_late_a_sleeper_wakes) {
    const auto ended = program::run(verify({"taken", "wake-up"}));
    expect_verified(ended);
    const auto report = ended.json();
    EXPECT_TRUE(report["loads"].empty());
    EXPECT_TRUE(report.contains("taken_ratio"));
    EXPECT_LE(report["wakeup_seconds"]["p50"], report["wakeup_seconds"]["p99"]);
    EXPECT_TRUE(report.contains("free_wakeup_seconds"));
}

/// A step, and how many processes and threads of its own a verify has when it is under way: the
/// soakers' process, and the load or a sleeping thread.
struct Step {
    std::string name;
    int children;
    int threads;
};

class VerifyInterrupted : public testing::TestWithParam<Step> {};

#if defined(__SANITIZE_THREAD__)
constexpr int with_a_thread = 3; // the sanitizer starts one of its own with the first
#else
constexpr int with_a_thread = 2;
#endif

INSTANTIATE_TEST_SUITE_P(InEachStep, VerifyInterrupted,
                         testing::Values(Step{"idle", 1, 1}, Step{"gaps-20us", 2, 1},
                                         Step{"taken", 2, 1}, Step{"wake-up", 1, with_a_thread}));

TEST_P(VerifyInterrupted, reports_what_it_has_and_leaves_nothing) {
    Running running(verify({GetParam().name}));
    const std::string task = fmt::format("/proc/{0}/task", running.pid());
    const base::Root root;
    pid_t soakers = 0; // named a moment after they are there
    const auto under_way = [&] {
        soakers = program::find_soakers(running.pid());
        const auto children =
            root.read_line(fmt::format("{}/{}/children", task, running.pid())).value_or("");
        return soakers != 0 &&
               base::split(children).size() == static_cast<size_t>(GetParam().children) &&
               root.list(task).size() == static_cast<size_t>(GetParam().threads);
    };
    for (int i = 0; i < 3000 && !under_way(); ++i)
        usleep(10'000);
    ASSERT_GT(soakers, 0);
    running.signal(SIGINT);
    const auto ended = running.wait();
    EXPECT_EQ(ended.exit_status, 1) << ended.err;
    if (ended.out.empty()) {
        EXPECT_THAT(ended.err, HasSubstr("nothing was verified"));
    } else {
        EXPECT_EQ(ended.json()["complete"], false);
        EXPECT_EQ(ended.json()["trustworthy"], false);
    }
    EXPECT_TRUE(program::goes(soakers));
    EXPECT_TRUE(program::groups_of(running.pid()).empty());
}

TEST(Verify, beside_another_says_who_soaks) {
    Running other({"watch", "-n", "1000"});
    ASSERT_TRUE(other.says("load"));
    const auto ended = program::run(verify({}));
    EXPECT_EQ(ended.exit_status, 1);
    EXPECT_THAT(ended.err, HasSubstr("process " + std::to_string(other.pid())));
}

TEST(Verify, works_on_one_cpu) {
    const auto folder = program::fresh_folder("verify-one-cpu");
    const auto ended = program::run(verify({"taken"}), {.environment = {{"XDG_STATE_HOME", folder}},
                                                        .before = {"taskset", "-c", "0"}});
    expect_verified(ended);
    EXPECT_EQ(ended.json()["cpu"], 0);
    std::filesystem::remove_all(folder);
}

TEST(Verify, works_without_privileges) {
    const auto folder = program::fresh_folder("verify-nobody");
    std::filesystem::permissions(folder, std::filesystem::perms::all);
    // The build folder may be closed to others.
    const auto copy = folder / "cyclesoak";
    std::filesystem::copy_file(program::path, copy);
    const auto ended = program::run(
        verify({"taken"}),
        {.program = copy, .environment = {{"XDG_STATE_HOME", folder}}, .as_nobody = true});
    expect_verified(ended);
    EXPECT_TRUE(ended.json().contains("taken_ratio"));
    std::filesystem::remove_all(folder);
}

TEST(Verify, whose_soakers_are_killed_fails) {
    Running running(verify({"idle"}));
    pid_t soakers = 0;
    for (int i = 0; i < 1000 && soakers == 0; ++i, usleep(10'000))
        soakers = program::find_soakers(running.pid());
    ASSERT_GT(soakers, 0);
    kill(soakers, SIGKILL);
    const auto ended = running.wait();
    EXPECT_EQ(ended.exit_status, 1);
    EXPECT_THAT(ended.err, HasSubstr("the soakers' process was killed"));
}

TEST(Verify, of_an_unknown_step_names_those_there_are) {
    const auto ended = program::run({"verify", "burn-99"});
    EXPECT_EQ(ended.exit_status, 2);
    EXPECT_THAT(ended.err, HasSubstr("burn-25"));
}

} // namespace
