#include "base/cpu_list.h"
#include "demand/apportion.h"
#include "demand/core_share.h"
#include "demand/cpus.h"
#include "demand/idle_time.h"
#include "demand/interrupts.h"
#include "demand/interval.h"
#include "demand/ledger.h"
#include "demand/measurement.h"
#include "demand/perturbation.h"

#include <fmt/format.h>

#include <algorithm>

namespace demand {
namespace {

std::optional<double> sum_of(const probes::Counters& counters,
                             std::optional<uint64_t> probes::CpuCounters::*count) {
    if (counters.cpus.empty()) return {};
    double sum = 0;
    for (const probes::CpuCounters& cpu : counters.cpus) {
        if (!(cpu.*count)) return {};
        sum += static_cast<double>(*(cpu.*count));
    }
    return sum;
}

PhaseReport make_phase_report(const Phase& phase, const Ledger& ledger,
                              const Apportionment::Share& share) {
    PhaseReport report{.kind = phase.kind,
                       .pair = phase.pair,
                       .start = phase.start,
                       .elapsed = phase.elapsed,
                       .proxy_packets = share.packets,
                       .proxy_bytes = share.bytes,
                       .units = share.units,
                       .net_seconds = {},
                       .task_seconds = {},
                       .reschedule = sum_of(phase.counters, &probes::CpuCounters::reschedule),
                       .function_call = sum_of(phase.counters, &probes::CpuCounters::function_call),
                       .tlb_shootdown =
                           sum_of(phase.counters, &probes::CpuCounters::tlb_shootdown)};
    if (const auto bill = make_bill(phase)) report.net_seconds = ledger.net.net(*bill);
    if (const auto bill = make_task_bill(phase, ledger))
        report.task_seconds = ledger.tasks.net(*bill);
    return report;
}

/// Cost against units over the phases of the ledger's kind.
std::optional<RatioEstimate> estimate_demand(const Report& report, const std::string& unit,
                                             const BaselineReport& baseline) {
    std::vector<Row> rows;
    double units = 0;
    for (const PhaseReport& phase : report.phases) {
        if (phase.kind != baseline.kind || !phase.net_seconds || !phase.units.contains(unit))
            continue;
        rows.push_back({.a = *phase.net_seconds, .b = phase.units.at(unit)});
        units += rows.back().b;
    }
    if (units <= 0) return {};
    std::vector<Variance> others;
    if (const auto error = baseline.net_error_seconds)
        others.push_back(
            {.value = *error * *error / (units * units), .freedom = baseline.phases - 1.0});
    return estimate_ratio(rows, others);
}

/// How busy the machine was without the load, 0..1 of all CPUs; by idle time if that is known.
std::optional<double> baseline_ratio(const std::vector<CpuReport>& cpus) {
    Nanoseconds busy{}, elapsed{};
    for (const CpuReport& cpu : cpus) {
        if (cpu.idle_time_baseline) {
            busy += *cpu.idle_time_baseline;
            elapsed += *cpu.free_elapsed;
        } else if (cpu.baseline) {
            busy += *cpu.baseline;
            elapsed += cpu.soaked->elapsed;
        }
    }
    if (elapsed <= Nanoseconds{}) return {};
    return base::to_seconds(busy) / base::to_seconds(elapsed);
}

class Reporter {
  public:
    /// `measurement` outlives this object.
    explicit Reporter(const Measurement& measurement)
        : measurement_(measurement), soaked_(make_ledger(measurement.phases, PhaseKind::soaked)),
          free_(make_ledger(measurement.phases, PhaseKind::free)),
          apportionment_(apportion(measurement)) {}

    Report make() {
        pass_through();
        report_.cpus = make_cpu_reports(measurement_.phases, soaked_.net, free_.net);
        add_phases();
        add_demands(Method::idle_time, free_);
        add_demands(Method::soaked, soaked_);
        report_.baselines = {free_.report, soaked_.report};
        std::erase_if(report_.baselines,
                      [](const BaselineReport& baseline) { return baseline.phases == 0; });
        add_perturbation();
        add_peer();
        warn_of_others();
        warn_of_strangers();
        warn_of_hypervisor();
        return std::move(report_);
    }

  private:
    /// Each doubt once, whoever has it first.
    void warn(const std::string& id, const std::string& text) {
        if (!warned(id)) report_.warnings.push_back({.id = id, .text = text});
    }

    bool warned(const std::string& id) const {
        return std::any_of(report_.warnings.begin(), report_.warnings.end(),
                           [&](const base::Warning& warning) { return warning.id == id; });
    }

    void pass_through() {
        report_.elapsed = measurement_.elapsed;
        report_.work = apportionment_.work;
        report_.unit = apportionment_.unit;
        report_.proxy = apportionment_.proxy;
        report_.proxy_packets = apportionment_.proxy_packets;
        report_.packet = apportionment_.packet;
        report_.proxy_bytes = apportionment_.proxy_bytes;
        report_.benchmark = measurement_.benchmark;
        report_.yielding = measurement_.yielding;
        report_.settings = measurement_.settings;
        report_.warnings = measurement_.warnings;
        report_.warnings.insert(report_.warnings.end(), apportionment_.warnings.begin(),
                                apportionment_.warnings.end());
    }

    const Ledger& ledger(PhaseKind kind) const {
        return kind == PhaseKind::soaked ? soaked_ : free_;
    }

    void add_phases() {
        for (const Phase& phase : measurement_.phases)
            if (phase.stage == Stage::load)
                report_.phases.push_back(make_phase_report(
                    phase, ledger(phase.kind), apportionment_.shares[report_.phases.size()]));
    }

    void add_demands(Method method, const Ledger& ledger) {
        if (select(measurement_.phases, ledger.report.kind, true).empty()) return;
        warn_of_missing(method, ledger);
        for (const auto& [unit, source] : apportionment_.sources) {
            const auto found = estimate_demand(report_, unit, ledger.report);
            if (!found) continue;
            report_.demands.push_back({.unit = unit,
                                       .source = source,
                                       .method = method,
                                       .seconds_per_unit = found->estimate,
                                       .confidence = confidence,
                                       .pairs = found->rows,
                                       .blocks = found->blocks});
            warn_of_doubts(*found);
        }
    }

    void warn_of_missing(Method method, const Ledger& ledger) {
        const bool costs = std::any_of(
            report_.phases.begin(), report_.phases.end(), [&](const PhaseReport& phase) {
                return phase.kind == ledger.report.kind && phase.net_seconds.has_value();
            });
        if (!costs && method == Method::idle_time && !warned("idle-time-inexact"))
            warn("no-idle-time", "There is no usable idle time on this machine, so no idle-time "
                                 "demand; the soaked figures stand.");
        if (costs && !ledger.net.known())
            warn("no-baseline", "No baseline was taken: what this machine costs without the load "
                                "is in the figures. Leave out --baseline 0.");
        if (ledger.net.phases() == 1)
            warn("short-baseline", "There was only one baseline phase of a kind: the intervals "
                                   "leave out its uncertainty. Use a longer --baseline.");
    }

    void warn_of_doubts(const RatioEstimate& found) {
        const Estimate& estimate = found.estimate;
        if (!estimate.low)
            warn("few-pairs", fmt::format("{} pairs of phases are too few for an interval, which "
                                          "takes {}. Measure longer.",
                                          found.rows, fewest_blocks));
        if (found.correlated)
            warn("correlated", "The load's cost drifts from phase to phase: intervals may be too "
                               "narrow. Measure longer, or let the load settle first.");
        const bool noise =
            estimate.low ? *estimate.low <= 0 && *estimate.high >= 0 : estimate.value <= 0;
        if (noise)
            warn("below-noise", "A cost cannot be told from none: it is smaller than the noise of "
                                "this measurement. Use more load, or measure longer.");
    }

    /// Subtraction takes for granted that the others go on undisturbed beside the load.
    void warn_of_others() {
        constexpr double quiet = 0.25;
        const auto busy = baseline_ratio(report_.cpus);
        if (busy.value_or(0) > quiet)
            warn("busy-machine",
                 fmt::format("Without the load the machine was {:.0f} % busy. Where the load takes "
                             "CPU time from others instead of idle time, its cost reads too low. "
                             "Measure while the machine is quiet.",
                             *busy * 100));
    }

    /// They come and go, and what they cost the load is in the load's figures.
    void warn_of_strangers() {
        std::map<int, soak::CpuWindow> windows;
        for (const Phase& phase : measurement_.phases)
            if (phase.stage != Stage::load)
                for (const soak::CpuWindow& window : phase.soaked) {
                    const auto [sum, first] = windows.try_emplace(window.cpu, window);
                    if (!first) sum->second = sum->second + window;
                }
        std::erase_if(windows, [](const auto& cpu) { return !contended(cpu.second); });
        if (windows.empty()) return;
        base::CpuList cpus;
        double most = 0;
        for (const auto& [cpu, sum] : windows) {
            cpus.push_back(cpu);
            most = std::max(most, static_cast<double>(sum.contended_blocks) /
                                      static_cast<double>(sum.throughput_blocks));
        }
        warn(
            "contended-core",
            fmt::format("Somebody else was on the core of CPU {} without the load, for up to "
                        "{:.0f} % of the time: a sibling thread that is not soaked, or a neighbour "
                        "of this virtual machine. That varies, and with it `core` and `cache` of "
                        "the load. Measure when it is gone, or where it is not.",
                        base::format_cpu_list(cpus), 100 * most));
    }

    void warn_of_hypervisor() {
        const bool mixed =
            std::any_of(report_.cpus.begin(), report_.cpus.end(), [](const CpuReport& cpu) {
                return cpu.soaked && !cpu.soaked->causes.hypervisor;
            });
        if (mixed)
            warn("hypervisor-in-interrupts",
                 "Interrupts are not measured here, so what a hypervisor or firmware took stands "
                 "under interrupts.");
    }

    void add_perturbation() {
        const auto found = make_perturbation(report_, apportionment_.shares);
        if (!found) return;
        report_.perturbation = found->perturbation;
        for (const base::Warning& warning : found->warnings)
            warn(warning.id, warning.text);
        if (!free_.tasks_are_known && report_.perturbation->cpu_per_unit_ratio)
            warn("no-task-time", "The scheduler's task time is not to be had: CPU per unit is "
                                 "compared with all the time that was not idle, interrupts "
                                 "included, and so reads low.");
    }

    void add_peer() {
        if (!measurement_.peer) return;
        std::map<std::string, Done> work;
        for (const auto& [unit, units] : apportionment_.totals)
            work[unit] = {.units = units, .source = apportionment_.sources.at(unit)};
        report_.peer = make_peer_report(*measurement_.peer, work);
        if (!report_.peer->absent.empty())
            warn("peer-absent", fmt::format("What the load cost at the other end, {}, is not "
                                            "known: {}.",
                                            report_.peer->address, report_.peer->absent));
    }

    const Measurement& measurement_;
    Ledger soaked_, free_;
    Apportionment apportionment_;
    Report report_;
};

} // namespace

Report make_report(Measurement measurement) {
    tell_interrupts_apart(measurement.phases);
    if (auto warning = drop_contradicted_idle_time(measurement.phases))
        measurement.warnings.push_back(std::move(*warning));
    return Reporter(measurement).make();
}

} // namespace demand
