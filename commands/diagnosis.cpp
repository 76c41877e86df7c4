#include "commands/diagnosis.h"

#include "commands/diagnosis_topics.h"
#include "exporters/numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace commands {

using base::Findings;
using base::Severity;

const base::Warning* Facts::warning(std::string_view id) const {
    const auto found = std::find_if(warnings.begin(), warnings.end(),
                                    [&](const auto& candidate) { return candidate.id == id; });
    return found == warnings.end() ? nullptr : &*found;
}

Findings diagnose(const Facts& facts) {
    Findings findings;
    for (const auto topics :
         {diagnose_scheduling, diagnose_clocks, diagnose_cpus, diagnose_surroundings}) {
        const auto found = topics(facts);
        findings.insert(findings.end(), found.begin(), found.end());
    }
    std::stable_sort(findings.begin(), findings.end(),
                     [](const auto& a, const auto& b) { return a.severity < b.severity; });
    return findings;
}

std::map<std::string, double> name_measured(const Observed& observed) {
    std::map<std::string, double> measured;
    const auto add = [&](const char* name, std::optional<double> value) {
        if (value) measured[name] = *value;
    };
    const auto add_wake_up = [&](const std::string& name,
                                 const std::optional<demand::WakeUp>& wake_up) {
        if (!wake_up) return;
        measured[name + "_p50_seconds"] = base::to_seconds(wake_up->p50);
        measured[name + "_p99_seconds"] = base::to_seconds(wake_up->p99);
    };
    add("taken_ratio", observed.taken_ratio);
    add_wake_up("wakeup", observed.soaked_wake_up);
    add_wake_up("free_wakeup", observed.free_wake_up);
    add("idle_time_error_ratio", observed.idle_time_error_ratio);
    add("stolen_ratio", observed.stolen_ratio);
    add("tasks_ratio", observed.tasks_ratio);
    add("steal_ratio", observed.steal_ratio);
    add("clock_stopped_ratio", observed.clock_stopped_ratio);
    return measured;
}

std::string say_percent(double ratio) { return exporters::format_percent(ratio) + " %"; }

std::string say_microseconds(base::Nanoseconds time) {
    return exporters::format_number(base::to_seconds(time) * 1e6) + " µs";
}

base::Finding not_measured(const std::string& id, const std::string& what) {
    return {.id = id,
            .severity = Severity::note,
            .what = what + " was not measured.",
            .effect = "The finding soakers tells why."};
}

std::string setting(const Facts& facts, const std::string& name) {
    const auto found = facts.settings.find(name);
    return found == facts.settings.end() ? "" : found->second;
}

std::optional<Severity> judge_wake_up(const Observed& observed) {
    using std::chrono::microseconds;
    if (!observed.soaked_wake_up) return std::nullopt;
    const auto free = observed.free_wake_up.value_or(demand::WakeUp{});
    const auto later =
        std::max(observed.soaked_wake_up->p50 - free.p50, observed.soaked_wake_up->p99 - free.p99);
    if (later > microseconds(1000)) return Severity::bad;
    return later > microseconds(200) ? Severity::warning : Severity::good;
}

} // namespace commands
