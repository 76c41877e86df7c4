#include "base/error.h"
#include "exporters/totals_json.h"
#include "tests/exporters/documented.h"
#include "tests/exporters/full_totals.h"
#include "tests/exporters/golden.h"

#include <gmock/gmock.h>

namespace {

using namespace std::chrono_literals;
using exporters::make_totals;
using exporters::make_windows;
using exporters::parse_totals;
using exporters::parse_windows;
using Json = nlohmann::ordered_json;
using testing::HasSubstr;

/// Every key has a value.
demand::Totals filled_totals() {
    auto totals = full_totals();
    for (auto& cpu : totals.cpus) {
        cpu.windows.causes.hypervisor = 100ms;
        cpu.windows.core_share_ratio = 0.9;
        cpu.windows.throughput_blocks = 6000;
        cpu.windows.contended_blocks = 50;
        cpu.windows.clock_stopped = 3us;
        totals.recent.push_back({990s + cpu.cpu * 1s, cpu.windows});
    }
    totals.departed.windows = totals.cpus[0].windows;
    totals.devices[1].name = "eth \"0\"";
    totals.protocols.udp_receive_errors = 44;
    totals.calibration = demand::CalibrationState::uncertain;
    totals.own.started = 900s;
    totals.obstacle = "CPU 0 is being soaked";
    totals.warnings = {{.id = "no-cgroup", .text = "No cgroup of our own."}};
    return totals;
}

std::string refusal(const std::string& text) {
    try {
        parse_totals(text, "there:1");
    } catch (const base::ParseError& error) {
        return error.what();
    }
    return "";
}

TEST(TotalsJson, of_full_totals) {
    Json json = Json::parse(make_totals(filled_totals(), 1000s + 300ms));
    EXPECT_EQ(json["cyclesoak"], CYCLESOAK_VERSION);
    json["cyclesoak"] = "VERSION";
    expect_golden("totals.json", rounded(json.dump(2) + "\n"));
}

TEST(TotalsJson, of_windows) {
    Json json = Json::parse(make_windows(filled_totals(), 1000s + 300ms));
    json["cyclesoak"] = "VERSION";
    expect_golden("windows.json", rounded(json.dump(2) + "\n"));
}

TEST(TotalsJson, is_read_back_as_it_was_written) {
    const std::string text = make_totals(filled_totals(), 1001s);
    const auto reading = parse_totals(text, "there:1");
    EXPECT_EQ(reading.age, 1s);
    EXPECT_EQ(reading.cyclesoak, CYCLESOAK_VERSION);
    EXPECT_EQ(reading.totals.cpus.at(1).windows, filled_totals().cpus[1].windows);
    EXPECT_EQ(make_totals(reading.totals, 1001s), text);
}

TEST(TotalsJson, of_windows_is_read_back_too) {
    const std::string text = make_windows(filled_totals(), 1001s);
    const auto reading = parse_windows(text, "there:1");
    EXPECT_EQ(reading.totals.recent.at(1).window, filled_totals().cpus[1].windows);
    EXPECT_EQ(reading.totals.recent.at(1).start, 991s);
    EXPECT_EQ(make_windows(reading.totals, 1001s), text);
}

TEST(TotalsJson, of_an_agent_that_has_just_begun) {
    const std::string text = make_totals({}, 0s);
    EXPECT_FALSE(Json::parse(text).contains("undisturbed"));
    EXPECT_EQ(make_totals(parse_totals(text, "there:1").totals, 0s), text);
    EXPECT_TRUE(parse_windows(make_windows({}, 0s), "there:1").totals.recent.empty());
}

TEST(TotalsJson, leaves_out_what_is_not_known) {
    auto totals = filled_totals();
    totals.cpus[0].busy.reset();
    const std::string text = make_totals(totals, 1000s);
    EXPECT_FALSE(Json::parse(text)["cpus"][0].contains("busy_seconds"));
    EXPECT_FALSE(parse_totals(text, "there:1").totals.cpus[0].busy);
}

TEST(TotalsJson, keeps_a_device_whose_name_is_not_utf8) {
    auto totals = filled_totals();
    totals.devices[0].name = "\xff";
    EXPECT_NO_THROW(parse_totals(make_totals(totals, 1000s), "there:1"));
}

TEST(TotalsJson, every_key_is_in_the_documentation) {
    const Json totals = Json::parse(make_totals(filled_totals(), 1000s));
    const Json windows = Json::parse(make_windows(filled_totals(), 1000s));
    EXPECT_GT(keys_of(totals).size(), 60u);
    expect_documented(totals, "agent-api.md");
    expect_documented(windows, "agent-api.md");
}

TEST(TotalsJson, refuses_what_no_agent_says) {
    EXPECT_THAT(refusal("<html>"), HasSubstr("there:1:1: this is not valid JSON"));
    EXPECT_THAT(refusal("[]"), HasSubstr("not an answer of an agent"));
    EXPECT_THAT(refusal(R"({"schema": 1})"), HasSubstr("\"cyclesoak\" is missing"));
    EXPECT_THAT(refusal(R"({"schema": 2})"), HasSubstr("schema 2"));
    EXPECT_THAT(refusal(make_windows(filled_totals(), 1000s)), HasSubstr("is missing"));
}

TEST(TotalsJson, refuses_damage_and_says_where) {
    const auto damaged = [](const std::string& pointer, const Json& value) {
        Json json = Json::parse(make_totals(filled_totals(), 1000s));
        json[Json::json_pointer(pointer)] = value;
        return refusal(json.dump());
    };
    EXPECT_THAT(damaged("/calibration/state", "fine"), HasSubstr("state of calibration"));
    EXPECT_THAT(damaged("/calibration/state", 1), HasSubstr("state of calibration"));
    EXPECT_THAT(damaged("/stall_lengths/counts", Json::array({1})), HasSubstr("array of 9"));
    EXPECT_THAT(damaged("/cpus/1/causes/tasks", "1"), HasSubstr("\"causes\""));
    EXPECT_THAT(damaged("/time_seconds", 5e9), HasSubstr("no time"));
}

} // namespace
