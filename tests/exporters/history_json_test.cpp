#include "exporters/history_json.h"
#include "tests/exporters/documented.h"
#include "tests/exporters/full_totals.h"

#include <gmock/gmock.h>

namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::SizeIs;

/// What an agent has counted at `time`: everything grows evenly from full_totals().
demand::PublishedTotals totals_at(base::Nanoseconds time, int cpus = 2) {
    auto totals = std::make_shared<demand::Totals>(full_totals(cpus));
    totals->time = time;
    totals->unix_seconds = 1.7e9 + base::to_seconds(time);
    for (auto& cpu : totals->cpus) {
        cpu.accounted += time;
        *cpu.busy += time / 4;
        cpu.tick_busy += time / 8;
        cpu.steal += time / 100;
        cpu.carried_over += time / 2;
        cpu.cache.seconds += base::to_seconds(time) / 1000;
        cpu.windows.elapsed += time / 100;
        cpu.windows.causes.tasks += time / 1000;
    }
    totals->devices[1].rx_packets += static_cast<uint64_t>(time / 1ms);
    totals->devices[1].rx_bytes += static_cast<uint64_t>(time / 1us);
    return totals;
}

Json history_of(const std::vector<demand::PublishedTotals>& all) {
    demand::History history;
    for (const auto& totals : all)
        history.add(totals);
    return Json::parse(
        exporters::make_history(history.steps(), *all.back(), all.back()->time + 300ms));
}

TEST(HistoryJson, has_what_each_step_brought) {
    const auto json = history_of({totals_at(0s), totals_at(10s), totals_at(20s)});
    EXPECT_EQ(json["age_seconds"], 0.3);
    EXPECT_EQ(json["step_seconds"], 10);
    const auto& steps = json["steps"];
    EXPECT_THAT(steps["end_unix_seconds"], ElementsAre(1.7e9 + 10, 1.7e9 + 20));
    EXPECT_THAT(steps["accounted_seconds"], ElementsAre(20, 20));
    EXPECT_THAT(steps["busy_seconds"], ElementsAre(5, 5));
    EXPECT_THAT(steps["tick_busy_seconds"], ElementsAre(2.5, 2.5));
    EXPECT_THAT(steps["steal_seconds"], ElementsAre(0.2, 0.2));
    EXPECT_THAT(steps["carried_over_seconds"], ElementsAre(10, 10));
    EXPECT_THAT(steps["carried_over_cache_seconds"], ElementsAre(0.02, 0.02));
    EXPECT_THAT(steps["soaked_phase_seconds"], ElementsAre(0.2, 0.2));
    EXPECT_THAT(steps["causes"]["tasks"], ElementsAre(0.02, 0.02));
    EXPECT_THAT(steps["causes"]["core"], ElementsAre(0, 0));
    EXPECT_FALSE(steps["causes"].contains("hypervisor")); // is not measured here
    EXPECT_THAT(steps["packets"], ElementsAre(10'000, 10'000));
    EXPECT_THAT(steps["bytes"], ElementsAre(10'000'000, 10'000'000));
    EXPECT_THAT(steps["cpus"], SizeIs(2));
    EXPECT_EQ(steps["cpus"][1]["cpu"], 1);
    EXPECT_THAT(steps["cpus"][1]["busy_percent"], ElementsAre(25, 25));
}

TEST(HistoryJson, tells_what_the_work_cost) {
    const auto json = history_of({totals_at(0s), totals_at(10s)});
    const auto& minute = json["last_minute"];
    EXPECT_DOUBLE_EQ(minute["cpu_seconds"], 5 + 0.04);
    EXPECT_EQ(minute["accounted_seconds"], 20);
    EXPECT_EQ(minute["device"], "eth0");
    EXPECT_EQ(minute["packets"], 10'000);
    EXPECT_EQ(json["since_start"]["busy_seconds"], 2 * 90 + 5);
}

TEST(HistoryJson, begins_empty) {
    const auto json = history_of({totals_at(0s)});
    EXPECT_TRUE(json["steps"]["end_unix_seconds"].empty());
    EXPECT_TRUE(json["steps"]["cpus"].empty());
    EXPECT_TRUE(json["last_minute"].is_null());
    EXPECT_EQ(json["calibration"]["state"], "good");
}

TEST(HistoryJson, a_cpu_that_was_not_there_is_null) {
    const auto json = history_of({totals_at(0s, 1), totals_at(10s, 2), totals_at(20s, 2)});
    EXPECT_THAT(json["steps"]["cpus"][0]["busy_percent"], ElementsAre(25, 25));
    EXPECT_THAT(json["steps"]["cpus"][1]["busy_percent"], ElementsAre(nullptr, 25));
}

TEST(HistoryJson, is_documented) {
    auto last = std::make_shared<demand::Totals>(*totals_at(10s));
    for (auto& cpu : last->cpus)
        cpu.windows.causes.hypervisor = 1ms;
    last->warnings = {{.id = "no-cgroup", .text = "No cgroup of our own."}};
    expect_documented(history_of({totals_at(0s), last}), "agent-api.md");
}

} // namespace
