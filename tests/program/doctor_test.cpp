#include "base/files.h"
#include "tests/program/program.h"

#include <gmock/gmock.h>

#include <csignal>
#include <set>

namespace {

using program::run;
using testing::Contains;
using testing::HasSubstr;

const std::vector<std::string> as_json{"doctor", "--format", "json"};

nlohmann::json finding(const nlohmann::json& report, const std::string& id) {
    for (const auto& found : report.at("findings"))
        if (found.at("id") == id) return found;
    return {};
}

TEST(Doctor, tells_of_every_topic_once) {
    const auto ended = run(as_json);
    ASSERT_EQ(ended.exit_status, 0) << ended.err;
    const auto report = ended.json();
    std::set<std::string> ids;
    for (const auto& found : report.at("findings")) {
        ids.insert(found.at("id"));
        EXPECT_FALSE(found.at("what").get<std::string>().empty());
        EXPECT_FALSE(found.at("effect").get<std::string>().empty());
    }
    EXPECT_EQ(ids.size(), 29u);
    EXPECT_EQ(report.at("findings").size(), 29u);
    EXPECT_EQ(report.at("measured").size(), 10u) << ended.out;
}

TEST(Doctor, beside_another_soaker_says_who_and_goes_on) {
    program::Running first({"watch", "-p", "100ms"});
    ASSERT_TRUE(first.says("System load"));
    const auto ended = run(as_json);
    EXPECT_EQ(ended.exit_status, 0) << ended.err;
    const auto report = ended.json();
    const auto other = finding(report, "other-soaker");
    EXPECT_EQ(other.at("severity"), "bad");
    EXPECT_THAT(other.at("what"), HasSubstr("Process " + std::to_string(first.pid())));
    EXPECT_EQ(finding(report, "soakers").at("severity"), "bad");
    EXPECT_EQ(finding(report, "lxcfs").at("severity"), "good");
    EXPECT_TRUE(report.at("measured").empty());
}

TEST(Doctor, writes_the_file_and_the_table) {
    const auto folder = program::fresh_folder("doctor-output");
    const auto file = folder / "findings.json";
    const auto ended = run({"doctor", "--read-only", "--output", file});
    EXPECT_EQ(ended.exit_status, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("As it should be\n"));
    EXPECT_EQ(nlohmann::json::parse(base::read_file(file).value_or("")).at("schema"), 1);
    std::filesystem::remove_all(folder);
}

TEST(Doctor, without_privileges_says_what_a_better_method_needs) {
    const auto folder = program::fresh_folder("doctor-nobody");
    std::filesystem::permissions(folder, std::filesystem::perms::all);
    const auto copy = folder / "cyclesoak"; // the build folder may be closed to others
    std::filesystem::copy_file(program::path, copy);
    const auto ended = run(
        as_json, {.program = copy, .environment = {{"XDG_STATE_HOME", folder}}, .as_nobody = true});
    ASSERT_EQ(ended.exit_status, 0) << ended.err;
    const auto yielding = finding(ended.json(), "yielding");
    EXPECT_NE(yielding.at("severity"), "good");
    EXPECT_EQ(yielding.at("advice"), "sudo cyclesoak doctor");
    std::filesystem::remove_all(folder);
}

TEST(Doctor, on_one_cpu_says_that_it_sees_no_other) {
    const auto folder = program::fresh_folder("doctor-one-cpu");
    const auto ended = run(
        as_json, {.environment = {{"XDG_STATE_HOME", folder}}, .before = {"taskset", "-c", "0"}});
    ASSERT_EQ(ended.exit_status, 0) << ended.err;
    const auto report = ended.json();
    EXPECT_THAT(finding(report, "cpus").at("what"), HasSubstr("may use CPUs 0"));
    EXPECT_THAT(finding(report, "soakers").at("what"), HasSubstr("on CPUs 0."));
    std::filesystem::remove_all(folder);
}

TEST(Doctor, when_interrupted_tells_what_it_found_and_leaves_nothing) {
    const auto folder = program::fresh_folder("doctor-interrupted");
    program::Running running(as_json, {.environment = {{"XDG_STATE_HOME", folder}}});
    ASSERT_TRUE(running.says("calibrating"));
    const pid_t soakers = program::find_soakers(running.pid());
    const pid_t owner = running.pid();
    running.signal(SIGINT);
    const auto ended = running.wait();
    EXPECT_EQ(ended.exit_status, 0) << ended.err;
    EXPECT_THAT(finding(ended.json(), "soakers").at("what"), HasSubstr("interrupted"));
    EXPECT_TRUE(program::goes(soakers));
    EXPECT_TRUE(program::groups_of(owner).empty());
    std::filesystem::remove_all(folder);
}

} // namespace
