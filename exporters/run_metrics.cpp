#include "exporters/run_metrics.h"

#include "exporters/json.h"
#include "exporters/metric_families.h"
#include "exporters/quantities.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <functional>
#include <map>

namespace exporters {
namespace {

using base::to_seconds;
using demand::Estimate;
using demand::Report;
using Json = nlohmann::ordered_json;
using Value = std::optional<double>;

constexpr auto gauge = prometheus::MetricType::Gauge;

constexpr Metric info{"cyclesoak_run_info", gauge,
                      "1, and what was run: the program, who counted its work, and how the soakers "
                      "yielded to it."};
constexpr Metric timestamp{"cyclesoak_run_timestamp_seconds", gauge,
                           "When the run's report was written. Unix time."};
constexpr Metric length{"cyclesoak_run_duration_seconds", gauge, "Length of the load."};
constexpr Metric work{"cyclesoak_run_work", gauge, "Work that the load got done, by unit."};
constexpr Metric rate{"cyclesoak_run_work_per_second", gauge,
                      "The same per second of the time that the figure covers."};
constexpr Metric stolen{"cyclesoak_run_cpu_stolen_seconds", gauge,
                        "Time in soaked phases that was neither left over nor the instrument's "
                        "own, by cause, sum over all CPUs; not net of the baseline."};
constexpr Metric exit_status{"cyclesoak_run_benchmark_exit_status", gauge,
                             "How the benchmark ended: 128 + signal, as a shell says it."};
constexpr Metric warning{"cyclesoak_run_warning", gauge,
                         "1 for each doubt about the figures, by the id it has in the report."};

/// A figure and its interval as three metrics.
struct EstimateMetrics {
    Metric value, low, high;
};
constexpr EstimateMetrics demand_metrics{
    {"cyclesoak_run_demand_seconds", gauge,
     "Service demand: CPU seconds per unit of work, net of the idle system. Method idle-time: "
     "undisturbed; soaked: the full cost, at the speed that soaking left to the load."},
    {"cyclesoak_run_demand_low_seconds", gauge, "Lower end of its 95 % interval."},
    {"cyclesoak_run_demand_high_seconds", gauge, "Upper end of its 95 % interval."}};
constexpr EstimateMetrics peer_metrics{
    {"cyclesoak_run_peer_demand_seconds", gauge,
     "What the same work cost at the other end, CPU seconds per unit of work, by the agent there."},
    {"cyclesoak_run_peer_demand_low_seconds", gauge, "Lower end of its 95 % interval."},
    {"cyclesoak_run_peer_demand_high_seconds", gauge, "Upper end of its 95 % interval."}};
constexpr EstimateMetrics rate_metrics{
    {"cyclesoak_run_rate_ratio", gauge,
     "Rate of the load while soaked, divided by that while not."},
    {"cyclesoak_run_rate_low_ratio", gauge, "Lower end of its 95 % interval."},
    {"cyclesoak_run_rate_high_ratio", gauge, "Upper end of its 95 % interval."}};
constexpr EstimateMetrics cpu_metrics{
    {"cyclesoak_run_cpu_per_unit_ratio", gauge,
     "CPU time of the load's threads per unit of work while soaked, divided by that while not."},
    {"cyclesoak_run_cpu_per_unit_low_ratio", gauge, "Lower end of its 95 % interval."},
    {"cyclesoak_run_cpu_per_unit_high_ratio", gauge, "Upper end of its 95 % interval."}};

/// Something to tell of each report, with the labels that every series of it has.
struct Run {
    const Report& report;
    Labels labels;

    Labels with(const Labels& more) const {
        Labels all = labels;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
};
using Runs = std::vector<Run>;

Runs number(const std::vector<Report>& reports) {
    Runs runs;
    for (const Report& report : reports) {
        Labels labels;
        if (reports.size() > 1) labels.push_back({"run", std::to_string(runs.size() + 1)});
        runs.push_back({report, labels});
    }
    return runs;
}

Labels describe_run(const Report& report) {
    Labels labels{{"version", CYCLESOAK_VERSION}};
    const auto add = [&](const char* name, const std::string& text) {
        if (!text.empty()) labels.push_back({name, text});
    };
    // Not its arguments: they may hold what a gateway should not see.
    if (report.benchmark && !report.benchmark->command.empty())
        add("benchmark",
            std::filesystem::path(report.benchmark->command.front()).filename().string());
    add("source", report.work.source);
    add("yielding", report.yielding);
    return labels;
}

/// One of the three metrics of an estimate.
using End = std::pair<Metric EstimateMetrics::*, std::function<Value(const Estimate&)>>;
const std::array<End, 3>& ends() {
    static const std::array<End, 3> all{
        {{&EstimateMetrics::value, [](const Estimate& estimate) { return estimate.value; }},
         {&EstimateMetrics::low, [](const Estimate& estimate) { return estimate.low; }},
         {&EstimateMetrics::high, [](const Estimate& estimate) { return estimate.high; }}}};
    return all;
}

std::vector<demand::Demand> demands_here(const Report& report) { return report.demands; }

std::vector<demand::Demand> demands_of_peer(const Report& report) {
    return report.peer ? report.peer->demands : std::vector<demand::Demand>();
}

void add_demands(MetricFamilies& families, const Runs& runs, const EstimateMetrics& metrics,
                 std::vector<demand::Demand> (*demands_of)(const Report&)) {
    for (const auto& [metric, end] : ends())
        for (const Run& run : runs)
            for (const demand::Demand& demand : demands_of(run.report)) {
                const bool soaked = demand.method == demand::Method::soaked;
                families.add(
                    metrics.*metric,
                    run.with({{"unit", demand.unit}, {"method", soaked ? "soaked" : "idle-time"}}),
                    end(demand.seconds_per_unit));
            }
}

void add_perturbation(
    MetricFamilies& families, const Runs& runs, const EstimateMetrics& metrics,
    const std::function<std::optional<Estimate>(const demand::Perturbation&)>& ratio) {
    for (const auto& [metric, end] : ends())
        for (const Run& run : runs)
            if (const auto& perturbation = run.report.perturbation)
                if (const auto estimate = ratio(*perturbation))
                    families.add(metrics.*metric, run.labels, end(*estimate));
}

std::map<std::string, double> work_of(const base::Work& done) {
    auto units = done.units;
    const auto add = [&](const char* unit, const Value& count) {
        if (count) units[unit] = *count;
    };
    add("byte", done.bytes);
    add("packet", done.packets);
    add("transaction", done.transactions);
    return units;
}

void add_work(MetricFamilies& families, const Runs& runs) {
    for (const Run& run : runs)
        for (const auto& [unit, count] : work_of(run.report.work))
            families.add(work, run.with({{"unit", unit}}), count);
    for (const Run& run : runs)
        for (const auto& [unit, count] : work_of(run.report.work))
            if (const auto seconds = run.report.work.seconds; seconds && *seconds > 0)
                families.add(rate, run.with({{"unit", unit}}), count / *seconds);
}

/// Of a key of the report's CPUs; not known where one CPU does not know it.
Value sum_over(const Json& cpus, const std::string& key) {
    const Json::json_pointer pointer(key);
    double sum = 0;
    for (const Json& cpu : cpus) {
        if (!cpu.contains(pointer)) return {};
        sum += cpu.at(pointer).get<double>();
    }
    return cpus.empty() ? Value() : sum;
}

/// The report's times of CPUs, under the names that they have there.
void add_cpus(MetricFamilies& families, const Runs& runs) {
    std::vector<Json> cpus;
    for (const Run& run : runs)
        cpus.push_back(make_json(run.report).at("cpus"));
    for (const auto& [name, unit, help] : quantities()) {
        if (unit != "seconds" || name == "stolen_seconds") continue;
        const bool cause = !name.ends_with("_seconds");
        const auto full_name = fmt::format("cyclesoak_run_cpu_{}", name);
        const auto full_help = fmt::format("Sum over all CPUs: {}.", help);
        for (size_t i = 0; i < runs.size(); ++i)
            if (cause)
                families.add(stolen, runs[i].with({{"cause", std::string(name)}}),
                             sum_over(cpus[i], fmt::format("/causes/{}", name)));
            else
                families.add({full_name, gauge, full_help}, runs[i].labels,
                             sum_over(cpus[i], fmt::format("/{}", name)));
    }
}

void add_doubts(MetricFamilies& families, const Runs& runs) {
    for (const Run& run : runs)
        if (const auto& benchmark = run.report.benchmark)
            if (const auto status = benchmark->exit_status)
                families.add(exit_status, run.labels, *status);
    for (const Run& run : runs)
        for (const base::Warning& doubt : run.report.warnings)
            families.add(warning, run.with({{"id", doubt.id}}), 1);
}

} // namespace

std::string make_run_metrics(const std::vector<demand::Report>& reports, double unix_seconds) {
    MetricFamilies families;
    const Runs runs = number(reports);
    for (const Run& run : runs)
        families.add(info, run.with(describe_run(run.report)), 1);
    families.add(timestamp, {}, unix_seconds);
    for (const Run& run : runs)
        families.add(length, run.labels, to_seconds(run.report.elapsed));
    add_demands(families, runs, demand_metrics, demands_here);
    add_demands(families, runs, peer_metrics, demands_of_peer);
    add_work(families, runs);
    add_cpus(families, runs);
    add_perturbation(families, runs, rate_metrics,
                     [](const demand::Perturbation& all) { return all.rate_ratio; });
    add_perturbation(families, runs, cpu_metrics,
                     [](const demand::Perturbation& all) { return all.cpu_per_unit_ratio; });
    add_doubts(families, runs);
    return to_text(families.take());
}

} // namespace exporters
