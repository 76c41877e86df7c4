#include "exporters/history_json.h"

#include "exporters/json.h"
#include "exporters/json_archive.h"
#include "exporters/totals_json.h"

#include <cmath>
#include <functional>
#include <map>

namespace exporters {
namespace {

using demand::HistoryStep;
using Steps = demand::History::Steps;

/// Whole microseconds: 360 numbers of 17 digits would be most of what is sent.
Json seconds(std::optional<base::Nanoseconds> time) {
    if (!time) return nullptr;
    return std::round(base::to_seconds(*time) * 1e6) / 1e6;
}

Json column(const Steps& steps, const std::function<Json(const HistoryStep&)>& value) {
    Json values = Json::array();
    for (const auto& step : steps)
        values.push_back(value(*step));
    return values;
}

Json times(const Steps& steps, base::Nanoseconds demand::CpuTotals::*time) {
    return column(steps, [time](const auto& step) { return seconds(step.cost.*time); });
}

Json make_causes(const Steps& steps) {
    const auto cause = [&](base::Nanoseconds soak::Causes::*time) {
        return column(steps,
                      [time](const auto& step) { return seconds(step.cost.windows.causes.*time); });
    };
    Json causes{{"tasks", cause(&soak::Causes::tasks)},
                {"interrupts", cause(&soak::Causes::interrupts)}};
    if (!steps.empty() && steps.back()->cost.windows.causes.hypervisor)
        causes["hypervisor"] = column(
            steps, [](const auto& step) { return seconds(step.cost.windows.causes.hypervisor); });
    causes["core"] = cause(&soak::Causes::core);
    causes["cache"] = cause(&soak::Causes::cache);
    causes["unexplained"] = cause(&soak::Causes::unexplained);
    return causes;
}

/// A row of whole percents for each CPU that was there at any time.
Json make_cpus(const Steps& steps) {
    std::map<int, Json> rows;
    const Json unknown = std::vector<Json>(steps.size());
    for (size_t at = 0; at < steps.size(); ++at)
        for (const auto& cpu : steps[at]->cpus) {
            auto& row = rows.try_emplace(cpu.cpu, unknown).first->second;
            if (cpu.busy_ratio) row[at] = std::lround(100 * *cpu.busy_ratio);
        }
    Json cpus = Json::array();
    for (auto& [cpu, row] : rows)
        cpus.push_back({{"cpu", cpu}, {"busy_percent", std::move(row)}});
    return cpus;
}

Json make_cost(const demand::Stretch& stretch) {
    const auto cost = demand::cost_of(stretch);
    if (!cost) return nullptr;
    Json json{{"cpu_seconds", cost->cpu_seconds},
              {"standard_error_seconds", cost->standard_error},
              {"accounted_seconds", cost->accounted_seconds},
              {"packets", cost->packets},
              {"bytes", cost->bytes}};
    if (!cost->device.empty()) json["device"] = cost->device;
    return json;
}

} // namespace

std::string make_history(const Steps& steps, const demand::Totals& totals, base::Nanoseconds now) {
    Json json = make_summary(totals, now);
    json["last_minute"] = make_cost(demand::last(steps, std::chrono::minutes(1)));
    json["last_hour"] = make_cost(demand::last(steps, std::chrono::hours(1)));
    json["step_seconds"] = base::to_seconds(demand::History::step);
    json["steps"] = {
        {"end_unix_seconds",
         column(steps, [](const auto& step) { return std::round(step.unix_seconds * 10) / 10; })},
        {"accounted_seconds", times(steps, &demand::CpuTotals::accounted)},
        {"busy_seconds", column(steps, [](const auto& step) { return seconds(step.cost.busy); })},
        {"tick_busy_seconds", times(steps, &demand::CpuTotals::tick_busy)},
        {"steal_seconds", times(steps, &demand::CpuTotals::steal)},
        {"carried_over_seconds", times(steps, &demand::CpuTotals::carried_over)},
        {"carried_over_cache_seconds",
         column(steps,
                [](const auto& step) { return std::round(step.cost.cache.seconds * 1e6) / 1e6; })},
        {"soaked_phase_seconds",
         column(steps, [](const auto& step) { return seconds(step.cost.windows.elapsed); })},
        {"causes", make_causes(steps)},
        {"packets", column(steps, [](const auto& step) { return step.packets; })},
        {"bytes", column(steps, [](const auto& step) { return step.bytes; })},
        {"cpus", make_cpus(steps)}};
    return write_answer(json);
}

} // namespace exporters
