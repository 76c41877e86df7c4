#pragma once

#include "commands/diagnosis.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

/// What diagnoses are tested with.
namespace commands {

using base::Finding;
using base::Findings;
using base::Severity;
using std::chrono::microseconds;
using testing::HasSubstr;

inline const std::set<std::string> topics{
    "yielding",        "taken",   "wake-up",     "cpu-quota",    "cpu-weight",
    "autogroup",       "kernel",  "preemption",  "clock",        "counter",
    "time-accounting", "tick",    "idle-time",   "lxcfs",        "cpus",
    "isolated-cpus",   "smt",     "hybrid",      "caches",       "idle-states",
    "frequency",       "soakers", "calibration", "other-soaker", "baseline",
    "hypervisor",      "steal",   "burstable",   "battery"};

/// A quiet server of our own on which everything was measured and found good.
inline Facts good() {
    Facts facts;
    facts.settings = {{"kernel", "6.18.2"},       {"kernel_hz", "250"}, {"preemption", "full"},
                      {"clock_source", "tsc"},    {"smt", "off"},       {"boost", "0"},
                      {"governor", "performance"}};
    facts.platform.kernel = probes::KernelRelease{6, 18};
    facts.platform.clock_sources = {"tsc", "hpet"};
    facts.platform.tick_stops = true;
    facts.platform.autogroup = true;
    facts.platform.cpu_hierarchy = 2;
    facts.platform.groups = {{.folder = "/sys/fs/cgroup/load", .weight_ratio = 1},
                             {.folder = "/sys/fs/cgroup"}};
    facts.platform.online = {0, 1};
    facts.platform.idle = {.driver = "intel_idle", .states = {{"POLL"}, {"C1", microseconds(2)}}};
    facts.platform.steal_ratio = 0;
    facts.cpus = {0, 1};
    for (const int cpu : facts.cpus)
        facts.places.push_back(
            {.cpu = cpu, .siblings = {cpu}, .cache_share_bytes = {{1, 32 << 10}, {2, 1 << 20}}});
    facts.timebase = soak::Timebase(true, 2.6);
    facts.soaked = {0, 1};
    facts.yielding = soak::Yield::cgroup;
    facts.calibration.cpus = {{.cpu = 0, .stolen_ratio = 0.01, .windows = 40},
                              {.cpu = 1, .stolen_ratio = 0.02, .windows = 38}};
    facts.observed = {.taken_ratio = 0.001,
                      .soaked_wake_up = demand::WakeUp{microseconds(6), microseconds(40)},
                      .free_wake_up = demand::WakeUp{microseconds(20), microseconds(70)},
                      .idle_time_error_ratio = -0.004,
                      .stolen_ratio = 0.012,
                      .tasks_ratio = 0.004,
                      .steal_ratio = 0,
                      .clock_stopped_ratio = 0};
    return facts;
}

inline Finding find(const Facts& facts, const std::string& id) {
    for (const auto& finding : diagnose(facts))
        if (finding.id == id) return finding;
    return {};
}

inline void expect_every_topic_once(const Findings& findings) {
    std::set<std::string> ids;
    for (const auto& finding : findings)
        ids.insert(finding.id);
    EXPECT_EQ(ids, topics);
    EXPECT_EQ(findings.size(), topics.size());
}

/// Sentences, and something to type only where something could be better.
inline void expect_readable(const Findings& findings) {
    for (const auto& finding : findings) {
        EXPECT_THAT(finding.what, testing::EndsWith(".")) << finding.id;
        EXPECT_THAT(finding.effect, testing::MatchesRegex(".+[.:]")) << finding.id;
        if (finding.severity == Severity::good) {
            EXPECT_EQ(finding.advice, "") << finding.id;
        }
        if (finding.effect.ends_with(":")) {
            EXPECT_NE(finding.advice, "") << finding.id;
        }
    }
}

} // namespace commands
