#include "base/files.h"
#include "tests/program/agent.h"
#include "tests/program/skewed_clock.h"

#include <csignal>
#include <fstream>

namespace {

using nlohmann::json;
using program::run;
using program::Running;
using testing::AllOf;
using testing::AnyOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(Agent, measures_and_serves_until_it_is_ended) {
    RunningAgent agent;
    ASSERT_TRUE(agent.has_windows());
    EXPECT_EQ(agent.get("/-/healthy"), "healthy\n");
    EXPECT_EQ(agent.get("/-/ready"), "ready\n");
    EXPECT_THAT(agent.get("/"), HasSubstr("/metrics"));
    EXPECT_THAT(agent.get("/metrics"), ContainsRegex("cyclesoak_windows_total [1-9]"));
    const auto windows = json::parse(agent.get("/api/v1/windows"));
    EXPECT_FALSE(windows.at("windows").empty());
    EXPECT_EQ(agent.curl("/etc/passwd", {"--fail"}).exit_status, 22);

    const auto soakers = program::find_soakers(agent.running().pid());
    ASSERT_NE(soakers, 0);
    agent.running().signal(SIGTERM); // in a window or between two
    EXPECT_EQ(agent.running().wait().exit_status, 0);
    EXPECT_TRUE(program::goes(soakers));
    EXPECT_TRUE(program::groups_of(agent.running().pid()).empty());
}

TEST(Agent, that_was_killed_leaves_nothing_that_hinders_the_next) {
    {
        RunningAgent agent;
        ASSERT_TRUE(agent.has_windows());
        const auto soakers = program::find_soakers(agent.running().pid());
        agent.running().signal(SIGKILL);
        agent.running().wait();
        EXPECT_TRUE(program::goes(soakers));
    }
    RunningAgent next;
    EXPECT_TRUE(next.has_windows());
}

TEST(Agent, soakers_that_were_killed_are_started_again) {
    RunningAgent agent;
    ASSERT_TRUE(agent.has_windows());
    kill(program::find_soakers(agent.running().pid()), SIGKILL);
    EXPECT_TRUE(
        agent.comes_to([](const auto& totals) { return totals.at("soaker_restarts") == 1; }));
    const int windows = agent.totals().at("windows_kept");
    EXPECT_TRUE(agent.has_windows(windows));
    EXPECT_EQ(agent.get("/-/healthy"), "healthy\n");
}

TEST(Agent, that_is_stopped_for_a_while_goes_on) {
    RunningAgent agent;
    ASSERT_TRUE(agent.has_windows());
    agent.running().signal(SIGSTOP); // as a suspended or a migrated machine stops it
    run({"2"}, {.program = "sleep"});
    agent.running().signal(SIGCONT);
    const int windows = agent.totals().at("windows_kept");
    EXPECT_TRUE(agent.has_windows(windows));
    EXPECT_EQ(agent.totals().at("soaker_restarts"), 0);
    // The edges of windows are given ahead: none got longer by it.
    const auto answer = json::parse(agent.get("/api/v1/windows"));
    for (const auto& window : answer.at("windows"))
        EXPECT_LE(window.at("soaked_phase_seconds"), 0.1);
}

TEST(Agent, leaves_a_counter_that_parts_from_the_kernels_clock) {
    const program::SkewedClock clock;
    RunningAgent agent({}, {.environment = clock.environment()});
    ASSERT_TRUE(agent.has_windows());
    clock.skew();
    EXPECT_TRUE(agent.running().says("parted from the kernel's clock"));
    const int windows = agent.totals().at("windows_kept");
    EXPECT_TRUE(agent.has_windows(windows));
}

TEST(Agent, pauses_for_a_run_and_goes_on) {
    RunningAgent agent;
    ASSERT_TRUE(agent.has_windows());
    const auto ended = run(program::short_run({}));
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(fmt::format("{}", agent.running().pid())));
    const auto after = agent.totals();
    EXPECT_GT(after.at("paused_seconds"), 1.0);
    EXPECT_TRUE(agent.has_windows(after.at("windows_kept")));
}

TEST(Agent, writes_a_text_file) {
    const auto folder = program::fresh_folder("agent");
    const auto file = (folder / "cyclesoak.prom").string();
    RunningAgent agent({"--textfile", file});
    ASSERT_TRUE(agent.has_windows());
    EXPECT_THAT(base::read_file(file).value_or(""), HasSubstr("cyclesoak_build_info"));
    std::filesystem::remove_all(folder);
}

// Its configuration

TEST(Agent, reads_its_configuration_again_or_keeps_what_it_has) {
    const auto folder = program::fresh_folder("agent");
    const auto file = (folder / "agent.conf").string();
    std::ofstream(file) << "duty = 10%\n";
    Running agent({"agent", "--listen", "127.0.0.1:0", "--config", file});
    ASSERT_TRUE(agent.says("serving "));

    std::ofstream(file) << "duty = much\n";
    agent.signal(SIGHUP);
    EXPECT_TRUE(agent.says("the configuration stays as it was"));
    EXPECT_THAT(agent.so_far().err, AllOf(HasSubstr(file), HasSubstr("--duty")));
    std::filesystem::remove(file);
    agent.signal(SIGHUP);
    EXPECT_TRUE(agent.says("is not there"));
    std::ofstream(file) << "duty = 5%\nlisten = 127.0.0.1:0\n";
    agent.signal(SIGHUP);
    EXPECT_TRUE(agent.says("was read again"));
    agent.signal(SIGTERM);
    EXPECT_EQ(agent.wait().exit_status, 0);
    std::filesystem::remove_all(folder);
}

TEST(Agent, takes_up_another_address) {
    const auto folder = program::fresh_folder("agent");
    const auto file = (folder / "agent.conf").string();
    std::ofstream(file) << "duty = 5%\nlisten = 127.0.0.1:0\n";
    Running agent({"agent", "--config", file});
    ASSERT_TRUE(agent.says("serving 127.0.0.1:"));
    std::ofstream(file) << "duty = 5%\nlisten = \"[::1]:0\"\n";
    agent.signal(SIGHUP);
    EXPECT_TRUE(agent.says("serving [::1]:"));
    // One that cannot be: the last stays.
    std::ofstream(file) << "duty = 5%\nlisten = 192.0.2.1:80\n";
    agent.signal(SIGHUP);
    EXPECT_TRUE(agent.says("the configuration stays as it was"));
    EXPECT_THAT(agent.so_far().err, HasSubstr("192.0.2.1:80"));
    std::filesystem::remove_all(folder);
}

TEST(Agent, a_port_in_use_or_an_address_that_cannot_be_ends_it_with_a_line) {
    RunningAgent first;
    const auto second = run({"agent", "--listen", first.address()});
    EXPECT_EQ(second.exit_status, 1);
    EXPECT_THAT(second.err, HasSubstr(first.address()));
    for (const char* address : {"nowhere", "127.0.0.1:99999", "no.such.host.invalid:80", "::1:x"}) {
        const auto ended = run({"agent", "--listen", address});
        EXPECT_EQ(ended.exit_status, 2) << address << ended.err;
        EXPECT_THAT(ended.err, HasSubstr(address));
    }
}

TEST(Agent, options_are_checked_before_anything_starts) {
    for (const std::vector<std::string>& options :
         std::vector<std::vector<std::string>>{{"--duty", "70%"},
                                               {"--duty", "x"},
                                               {"--window", "1h"},
                                               {"--cpus", "100000"},
                                               {"--config", "/no/such/file"},
                                               {"--tls-cert", "/no/such/file"},
                                               {"--users", "/no/such/file"}}) {
        std::vector<std::string> arguments{"agent", "--listen", "127.0.0.1:0"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const auto ended = run(arguments);
        EXPECT_EQ(ended.exit_status, 2) << options.front() << ' ' << ended.err;
        // The option, or the file that it named.
        EXPECT_THAT(ended.err, AnyOf(HasSubstr(options.front()), HasSubstr(options.back())));
        EXPECT_THAT(ended.err, Not(HasSubstr("serving")));
    }
}

} // namespace
