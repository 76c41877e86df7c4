#include "demand/perturbation.h"

#include "demand/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace demand {
namespace {

using Pair = std::pair<const PhaseReport*, const PhaseReport*>; // soaked, free

std::vector<Pair> complete_pairs(const Report& report) {
    std::map<int, Pair> pairs;
    for (const PhaseReport& phase : report.phases) {
        if (!phase.units.contains(report.unit)) continue;
        Pair& pair = pairs[phase.pair];
        (phase.kind == PhaseKind::soaked ? pair.first : pair.second) = &phase;
    }
    std::vector<Pair> result;
    for (const auto& [number, pair] : pairs)
        if (pair.first && pair.second) result.push_back(pair);
    return result;
}

std::optional<RatioEstimate> rate_ratio(const std::vector<Pair>& pairs, const std::string& unit) {
    std::vector<Row> rows;
    for (const auto& [soaked, free] : pairs)
        rows.push_back({.a = soaked->units.at(unit),
                        .b = base::to_seconds(soaked->elapsed),
                        .c = free->units.at(unit),
                        .d = base::to_seconds(free->elapsed)});
    return estimate_ratio(rows);
}

/// The baseline's share in the variance of a ratio of task times: relative errors add in squares.
std::vector<Variance> baseline_variances(const Report& report, double value) {
    std::vector<Variance> result;
    for (const BaselineReport& baseline : report.baselines) {
        double tasks = 0;
        for (const PhaseReport& phase : report.phases)
            if (phase.kind == baseline.kind) tasks += phase.task_seconds.value_or(0);
        if (!baseline.task_error_seconds || tasks <= 0) continue;
        const double error = value * *baseline.task_error_seconds / tasks;
        result.push_back({.value = error * error, .freedom = baseline.phases - 1.0});
    }
    return result;
}

std::optional<RatioEstimate> cpu_ratio(const Report& report, const std::vector<Pair>& pairs) {
    std::vector<Row> rows;
    double soaked_tasks = 0;
    for (const auto& [soaked, free] : pairs) {
        if (!soaked->task_seconds || !free->task_seconds) continue;
        rows.push_back({.a = *soaked->task_seconds,
                        .b = soaked->units.at(report.unit),
                        .c = *free->task_seconds,
                        .d = free->units.at(report.unit)});
        soaked_tasks += rows.back().a;
    }
    const auto plain = estimate_ratio(rows);
    if (!plain || soaked_tasks <= 0) return {};
    return estimate_ratio(rows, baseline_variances(report, plain->estimate.value));
}

Perturbation::Interrupts interrupts(const Report& report, PhaseKind kind, const std::string& unit) {
    const auto per_unit = [&](std::optional<double> PhaseReport::*count) {
        double sum = 0, units = 0;
        for (const PhaseReport& phase : report.phases) {
            if (phase.kind != kind || !(phase.*count) || !phase.units.contains(unit)) continue;
            sum += *(phase.*count);
            units += phase.units.at(unit);
        }
        return units > 0 ? std::optional(sum / units) : std::nullopt;
    };
    return {.reschedule = per_unit(&PhaseReport::reschedule),
            .function_call = per_unit(&PhaseReport::function_call),
            .tlb_shootdown = per_unit(&PhaseReport::tlb_shootdown)};
}

std::optional<Estimate> carry_over(const Report& report, PhaseKind kind,
                                   const std::vector<Apportionment::Share>& shares) {
    std::vector<Row> rows;
    for (size_t i = 0; i < report.phases.size(); ++i) {
        if (report.phases[i].kind != kind || !shares[i].first_quarter) continue;
        const FirstQuarter& quarter = *shares[i].first_quarter;
        rows.push_back({.a = quarter.counts,
                        .b = quarter.seconds,
                        .c = quarter.all_counts - quarter.counts,
                        .d = base::to_seconds(report.phases[i].elapsed) - quarter.seconds});
    }
    const auto ratio = estimate_ratio(rows);
    return ratio ? std::optional(ratio->estimate) : std::nullopt;
}

bool between(double value, double low, double high) { return value >= low && value <= high; }

/// More than a tenth away from 1, and not by chance as far as that is known.
bool off(const Estimate& ratio) {
    const bool chance = ratio.low && between(1, *ratio.low, *ratio.high);
    return !between(ratio.value, 0.9, 1.1) && !chance;
}

std::string in_words(const Estimate& ratio) {
    if (!ratio.low) return fmt::format("{:.2f} times", ratio.value);
    return fmt::format("{:.2f} times ({:.2f} to {:.2f})", ratio.value, *ratio.low, *ratio.high);
}

void warn_of_perturbation(PerturbationResult& result) {
    const Perturbation& found = result.perturbation;
    std::string what;
    if (off(found.rate_ratio)) what = "its rate " + in_words(found.rate_ratio);
    if (found.cpu_per_unit_ratio && off(*found.cpu_per_unit_ratio))
        what += fmt::format("{}its CPU time per {} {}", what.empty() ? "" : ", ", found.unit,
                            in_words(*found.cpu_per_unit_ratio));
    if (what.empty()) return;
    result.warnings.push_back(
        {.id = "perturbed",
         .text = "Soaking changed the load: " + what +
                 " what it is alone. Trust the idle-time demand for what the load costs when "
                 "nobody watches, the soaked demand for causes and full cost at the disturbed "
                 "speed; do not subtract one from the other."});
}

void warn_of_carry_over(PerturbationResult& result) {
    for (const auto& ratio :
         {result.perturbation.soaked_carry_over_ratio, result.perturbation.free_carry_over_ratio}) {
        if (!ratio || !ratio->low || !off(*ratio)) continue;
        result.warnings.push_back(
            {.id = "carry-over",
             .text = fmt::format("The first quarter of a phase ran at {} the speed of the rest: "
                                 "it still feels the phase before. Use a longer --phase.",
                                 in_words(*ratio))});
        return;
    }
}

bool counted(const Report& report, const std::string& unit) {
    return std::any_of(report.phases.begin(), report.phases.end(),
                       [&](const PhaseReport& phase) { return phase.units.contains(unit); });
}

} // namespace

std::optional<PerturbationResult>
make_perturbation(const Report& report, const std::vector<Apportionment::Share>& shares) {
    const std::vector<Pair> pairs = complete_pairs(report);
    const auto rate = rate_ratio(pairs, report.unit);
    if (!rate) return {};
    PerturbationResult result;
    Perturbation& found = result.perturbation;
    found.unit = report.unit;
    found.rate_ratio = rate->estimate;
    found.pairs = rate->rows;
    found.blocks = rate->blocks;
    if (const auto cpu = cpu_ratio(report, pairs)) {
        found.cpu_per_unit_ratio = cpu->estimate;
        found.cpu_pairs = cpu->rows;
        found.cpu_blocks = cpu->blocks;
    }
    found.interrupt_unit = counted(report, "transaction") ? "transaction" : "packet";
    found.soaked = interrupts(report, PhaseKind::soaked, found.interrupt_unit);
    found.free = interrupts(report, PhaseKind::free, found.interrupt_unit);
    found.soaked_carry_over_ratio = carry_over(report, PhaseKind::soaked, shares);
    found.free_carry_over_ratio = carry_over(report, PhaseKind::free, shares);
    warn_of_perturbation(result);
    warn_of_carry_over(result);
    return result;
}

} // namespace demand
