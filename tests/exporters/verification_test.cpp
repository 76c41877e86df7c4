#include "exporters/verification.h"
#include "tests/exporters/documented.h"
#include "tests/exporters/golden.h"

#include <gmock/gmock.h>

#include <sstream>

namespace {

using namespace std::chrono_literals;
using demand::Verification;
using Json = nlohmann::ordered_json;

Verification verification() {
    return {.cpu = 3,
            .loads = {{.name = "burn-25-1ms",
                       .disturbed_ratio = 0.34,
                       .true_ratio = 0.2502,
                       .tasks_ratio = 0.2517,
                       .stolen_ratio = 0.2613,
                       .baseline_ratio = 0.0125,
                       .interrupts_ratio = 0.0061,
                       .hypervisor_ratio = 0.0021,
                       .core_ratio = -0.0004,
                       .cache_ratio = 0.0009,
                       .unexplained_ratio = 0.0001,
                       .idle_time_true_ratio = 0.2505,
                       .idle_time_ratio = 0.2467},
                      {.name = "gaps-20us", .idle_time_true_ratio = 0.8, .idle_time_ratio = 0.8}},
            .taken_ratio = 0.0021,
            .soaked_wake_up = demand::WakeUp{18us, 31us},
            .free_wake_up = demand::WakeUp{50us, 98us},
            .accuracies = {{"tasks", "burn-25-1ms", 0.0015, 0.003},
                           {"idle time", "burn-25-1ms", -0.0038, 0.007},
                           {"taken", "a busy thread", 0.0021, 0.003}},
            .yielding = "cgroup",
            .warnings = {{"working-set", "working set of CPU 3: 512 KiB; unknown cache"}}};
}

std::string table(const Verification& verified) {
    std::ostringstream out;
    exporters::write_verification(out, verified, {.width = 80});
    return out.str();
}

Json json(const Verification& verified) {
    std::ostringstream out;
    exporters::write_verification_json(out, verified);
    return Json::parse(out.str());
}

TEST(VerificationTable, of_a_machine_to_be_trusted) {
    expect_golden("verification.txt", table(verification()));
}

TEST(VerificationTable, says_what_cannot_be_trusted) {
    Verification noisy = verification();
    noisy.accuracies[1].error = -0.012;
    noisy.accuracies[2].error = 0.02;
    expect_golden("verification-noisy.txt", table(noisy));
}

TEST(VerificationTable, that_was_cut_short_says_so) {
    Verification cut = verification();
    cut.complete = false;
    cut.loads.pop_back();
    EXPECT_THAT(table(cut), testing::HasSubstr("Interrupted"));
}

TEST(VerificationJson, has_every_figure_under_its_documented_key) {
    const Json all = json(verification());
    expect_documented(all);
    EXPECT_EQ(all["schema"], 1);
    EXPECT_EQ(all["cpu"], 3);
    EXPECT_EQ(all["trustworthy"], true);
    EXPECT_EQ(all["taken_ratio"], 0.0021);
    EXPECT_EQ(all["wakeup_seconds"]["p99"], 31e-6);
    EXPECT_EQ(all["free_wakeup_seconds"]["p50"], 50e-6);
    const Json& load = all["loads"][0];
    EXPECT_EQ(load["name"], "burn-25-1ms");
    EXPECT_EQ(load["true_ratio"], 0.2502);
    EXPECT_EQ(load["tasks_ratio"], 0.2517);
    EXPECT_EQ(load["stolen_ratio"], 0.2613);
    EXPECT_EQ(load["baseline_ratio"], 0.0125);
    EXPECT_EQ(load["interrupts_ratio"], 0.0061);
    EXPECT_EQ(load["hypervisor_ratio"], 0.0021);
    EXPECT_EQ(load["core_ratio"], -0.0004);
    EXPECT_EQ(load["cache_ratio"], 0.0009);
    EXPECT_EQ(load["unexplained_ratio"], 0.0001);
    EXPECT_EQ(load["idle_time_true_ratio"], 0.2505);
    EXPECT_EQ(load["idle_time_ratio"], 0.2467);
    EXPECT_EQ(all["accuracy"][1]["error_ratio"], -0.0038);
    EXPECT_EQ(all["accuracy"][1]["kept"], true);
}

TEST(VerificationJson, leaves_out_what_was_not_measured) {
    const Json all = json({.loads = {{.name = "gaps-20us", .idle_time_ratio = 0.8}}});
    EXPECT_FALSE(all.contains("taken_ratio"));
    EXPECT_FALSE(all.contains("wakeup_seconds"));
    EXPECT_FALSE(all["loads"][0].contains("tasks_ratio"));
}

} // namespace
