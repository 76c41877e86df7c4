#include "base/files.h"
#include "base/time.h"
#include "tests/fake_agent.h"
#include "tests/program/program.h"

#include <gmock/gmock.h>

#include <csignal>

namespace {

using nlohmann::json;
using program::has_warning;
using program::run;
using program::short_run;
using testing::HasSubstr;

/// An agent of a machine with two CPUs, each of which is busy for half of the time. Reads ten times
/// a second, by a clock of its own.
std::string half_busy(const std::string& request) {
    static const json totals =
        json::parse(base::read_file(TEST_DATA "/golden/totals.json").value_or(""));
    static const json windows =
        json::parse(base::read_file(TEST_DATA "/golden/windows.json").value_or(""));
    json answer = request.starts_with("GET /api/v1/windows ") ? windows : totals;
    const double now = base::to_seconds(base::monotonic_now()) + 1e6;
    const double read = std::floor(now * 10) / 10;
    answer["age_seconds"] = now - read;
    answer["time_seconds"] = read;
    for (auto& cpu : answer["cpus"]) {
        cpu["accounted_seconds"] = read;
        cpu["busy_seconds"] = read / 2;
    }
    return FakeAgent::ok(answer.dump());
}

TEST(Peer, its_part_stands_beside_ours) {
    const FakeAgent fake(half_busy);
    const auto ended = run(short_run({"--peer", fake.address()}));
    ASSERT_TRUE(program::measured(ended)) << ended.err;
    const auto report = ended.json();
    const auto& peer = report.at("peer");
    EXPECT_EQ(peer.at("address"), fake.address());
    EXPECT_FALSE(peer.contains("absent")) << peer;
    EXPECT_EQ(peer.at("cpus"), 2);
    // Two halves of all the time, with the load as without.
    EXPECT_NEAR(peer.at("busy_seconds"), peer.at("seconds"), 1e-6);
    EXPECT_NEAR(peer.at("baseline_seconds"), peer.at("seconds"), 1e-6);
    EXPECT_GE(peer.at("seconds"), report.at("seconds"));
    EXPECT_EQ(peer.at("units").at("packet"), report.at("work").at("packets"));
    EXPECT_FALSE(peer.at("demand").empty());
    EXPECT_FALSE(peer.at("soaked_absent").get<std::string>().empty());
    EXPECT_FALSE(has_warning(report, "peer-absent"));
}

TEST(Peer, that_is_not_there_costs_only_its_part) {
    const auto ended = run(short_run({"--peer", "127.0.0.1:1"}));
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("--peer 127.0.0.1:1: "));
    const auto report = ended.json();
    EXPECT_TRUE(has_warning(report, "peer-absent"));
    EXPECT_TRUE(report.at("peer").contains("absent"));
    EXPECT_TRUE(report.at("peer").at("demand").empty());
    EXPECT_GE(report.at("demand").size(), 2u);
}

TEST(Peer, that_dies_in_mid_run_costs_only_its_part) {
    std::optional<FakeAgent> fake(std::in_place, half_busy);
    program::Running running(
        short_run({"--peer", fake->address()},
                  {"/bin/sh", "-c",
                   "echo it began >&2; exec '" + program::path + "' load udp --rate 5k -t 2s"}));
    ASSERT_TRUE(running.says("it began"));
    fake.reset();
    const auto ended = running.wait();
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    const auto report = ended.json();
    EXPECT_TRUE(has_warning(report, "peer-absent"));
    EXPECT_GE(report.at("demand").size(), 2u);
}

TEST(Peer, that_never_answers_does_not_keep_us_from_ending) {
    const FakeAgent fake([](const std::string&) { return std::string(FakeAgent::nothing); });
    program::Running running(short_run({"--peer", fake.address()}));
    while (fake.asked() == 0)
        base::sleep_until(base::monotonic_now() + std::chrono::milliseconds(10));
    running.signal(SIGINT);
    const auto ended = running.wait();
    EXPECT_EQ(ended.exit_status, 1);
    EXPECT_THAT(ended.err, HasSubstr("interrupted before the load"));
    EXPECT_EQ(fake.asked(), 1);
}

TEST(Peer, options_are_checked_before_anything_starts) {
    EXPECT_EQ(run({"run", "--peer", "nonsense"}).exit_status, 2);
    EXPECT_EQ(run({"run", "--peer-ca", "/nowhere"}).exit_status, 2);
    const auto ended = run({"run", "--peer", "me:secret@host:1"});
    EXPECT_EQ(ended.exit_status, 2);
    EXPECT_THAT(ended.err, HasSubstr("--peer-password-file"));
}

} // namespace
