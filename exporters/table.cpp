#include "exporters/table.h"

#include "demand/conversions.h"
#include "exporters/cpu_table.h"
#include "exporters/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace exporters {
namespace {

using demand::Demand;
using demand::Method;
using demand::Report;

/// How people say a demand: "µs per KB", and what the seconds per unit are multiplied by for it.
struct Saying {
    std::string label;
    double scale;
};

Saying saying(const std::string& unit) {
    if (unit == "byte") return {"µs per KB", 1e6 * demand::bytes_per_kb};
    if (unit == "packet") return {"ns per packet", 1e9};
    return {"µs per " + unit, 1e6};
}

using Demands = std::vector<Demand>;

const Demand* find(const Demands& demands, const std::string& unit, Method method) {
    for (const Demand& demand : demands)
        if (demand.unit == unit && demand.method == method) return &demand;
    return nullptr;
}

/// Here and at the other end.
Demands all_demands(const Report& report) {
    Demands demands = report.demands;
    if (report.peer)
        demands.insert(demands.end(), report.peer->demands.begin(), report.peer->demands.end());
    return demands;
}

/// The work's own unit first.
std::vector<std::string> units(const Report& report) {
    std::vector<std::string> result;
    for (const Demand& demand : all_demands(report))
        if (std::find(result.begin(), result.end(), demand.unit) == result.end())
            result.push_back(demand.unit);
    std::stable_partition(result.begin(), result.end(),
                          [&](const std::string& unit) { return unit == report.unit; });
    return result;
}

std::vector<Method> methods(const Report& report) {
    const Demands demands = all_demands(report);
    std::vector<Method> result;
    for (const Method method : {Method::idle_time, Method::soaked})
        if (std::any_of(demands.begin(), demands.end(),
                        [&](const Demand& demand) { return demand.method == method; }))
            result.push_back(method);
    return result;
}

void write_head(Screen& screen, const Report& report) {
    std::string head = fmt::format("{:.1f} s of load", base::to_seconds(report.elapsed));
    if (report.benchmark && !report.benchmark->command.empty())
        head += fmt::format(": {}", fmt::join(report.benchmark->command, " "));
    screen.text(head, 0);
    if (report.benchmark && report.benchmark->exit_status.value_or(0) != 0)
        screen.text(fmt::format("It ended with exit status {}.", *report.benchmark->exit_status),
                    0);
    if (!report.yielding.empty())
        screen.text(
            fmt::format("{} phases; soakers yield by {}", report.phases.size(), report.yielding),
            0);
}

void write_interval_note(Screen& screen, const Report& report) {
    if (report.demands.empty() || !report.demands.front().seconds_per_unit.low) return;
    const Demand& first = report.demands.front();
    const char* windows = report.perturbation ? "pairs of phases" : "phases";
    screen.text(fmt::format("{:.0f} % intervals, from {} {}", first.confidence * 100, first.pairs,
                            windows));
}

/// One unit by each method.
Screen::Row demand_row(const Report& report, const Demands& demands, const std::string& label,
                       const std::string& unit) {
    Screen::Row row{label, {}, {}};
    for (const Method method : methods(report)) {
        const Demand* demand = find(demands, unit, method);
        row.cells.push_back(demand ? format_estimate(demand->seconds_per_unit, saying(unit).scale)
                                   : "-");
    }
    return row;
}

/// What stands behind the rows of the other end, or why there are none.
void write_peer(Screen& screen, const demand::PeerReport& peer) {
    if (!peer.absent.empty())
        return screen.text(
            fmt::format("other end, {}: not known, see the warnings below", peer.address));
    const demand::PeerInterval& interval = *peer.interval;
    std::string text = fmt::format("other end, {}, over the whole load: {} s of CPU time, {} CPU{}",
                                   peer.address, format_number(base::to_seconds(interval.busy)),
                                   interval.cpus, interval.cpus == 1 ? "" : "s");
    if (interval.baseline)
        text += fmt::format(", {} s of it without the load",
                            format_number(base::to_seconds(*interval.baseline), 2));
    screen.text(text);
    if (!peer.soaked_absent.empty())
        screen.text(fmt::format("nothing soaked from there: {}", peer.soaked_absent), 4);
}

void write_demands(Screen& screen, const Report& report) {
    screen.heading("Service demand");
    std::vector<Screen::Row> rows(2);
    for (const Method method : methods(report)) {
        const bool free = method == Method::idle_time;
        rows[0].cells.emplace_back(free ? "idle-time" : "soaked");
        rows[1].cells.emplace_back(free ? "(undisturbed)" : "(full cost)");
    }
    for (const std::string& unit : units(report)) {
        rows.push_back(demand_row(report, report.demands, saying(unit).label, unit));
        if (report.peer && !report.peer->demands.empty())
            rows.push_back(demand_row(report, report.peer->demands, "  other end", unit));
    }
    if (rows.size() > 2)
        screen.rows(std::move(rows), 16);
    else
        screen.text("none: see the warnings below.");
    write_interval_note(screen, report);
    if (report.peer) write_peer(screen, *report.peer);
}

void write_perturbation(Screen& screen, const demand::Perturbation& found) {
    screen.heading("What soaking did to the load");
    std::vector<Screen::Row> rows{{"rate", {format_ratio(found.rate_ratio)}, {}}};
    if (found.cpu_per_unit_ratio)
        rows.push_back({"CPU of its threads per " + found.unit,
                        {format_ratio(*found.cpu_per_unit_ratio)},
                        {}});
    screen.rows(std::move(rows));
}

std::string optional_number(std::optional<double> value) {
    return value ? fmt::format("{:.2f}", *value) : "-";
}

void write_interrupts(Screen& screen, const demand::Perturbation& found) {
    const auto& [soaked, free] = std::pair(found.soaked, found.free);
    std::vector<Screen::Row> rows{
        {"interrupts per " + found.interrupt_unit, {"free", "soaked"}, {}}};
    const auto add = [&](const char* label, std::optional<double> alone,
                         std::optional<double> watched) {
        if (alone || watched)
            rows.push_back({label, {optional_number(alone), optional_number(watched)}, {}});
    };
    add("reschedule (RES)", free.reschedule, soaked.reschedule);
    add("function call (CAL)", free.function_call, soaked.function_call);
    add("of these TLB shootdowns", free.tlb_shootdown, soaked.tlb_shootdown);
    if (rows.size() > 1) screen.rows(std::move(rows), 8);
}

/// A total and what of it is done in a second.
Screen::Row amount(const std::string& label, double total, std::optional<double> seconds,
                   const std::string& unit, const std::string& note) {
    Screen::Row row{label, {format_amount(total) + unit}, note};
    if (seconds.value_or(0) > 0) row.cells.push_back(format_amount(total / *seconds) + unit + "/s");
    return row;
}

void write_work(Screen& screen, const Report& report) {
    const base::Work& work = report.work;
    if (work.source.empty()) return;
    screen.heading("Work");
    std::string counted = "counted by " + work.source;
    if (!report.proxy.empty()) counted += ", given to phases by " + report.proxy;
    screen.text(counted);
    std::vector<Screen::Row> rows;
    if (work.transactions)
        rows.push_back(amount("transactions", *work.transactions, work.seconds, "", ""));
    for (const auto& [unit, total] : work.units)
        rows.push_back(amount(unit, total, work.seconds, "", ""));
    if (work.bytes) rows.push_back(amount("bytes", *work.bytes, work.seconds, "B", ""));
    if (work.packets) rows.push_back(amount("packets", *work.packets, work.seconds, "", ""));
    if (report.proxy_packets.value_or(0) > 0)
        rows.push_back({"bytes per packet",
                        {format_number(report.proxy_bytes.value_or(0) / *report.proxy_packets, 4)},
                        report.packet});
    screen.rows(std::move(rows));
}

/// Net cost of the load in free phases, as a ratio of one CPU.
std::optional<double> free_cost(const Report& report) {
    double cost = 0, seconds = 0;
    for (const demand::PhaseReport& phase : report.phases) {
        if (phase.kind != demand::PhaseKind::free || !phase.net_seconds) continue;
        cost += *phase.net_seconds;
        seconds += base::to_seconds(phase.elapsed);
    }
    return seconds > 0 ? std::optional(cost / seconds) : std::nullopt;
}

void write_benchmark(Screen& screen, const Report& report) {
    if (!report.benchmark || report.benchmark->cpu_ratios.empty()) return;
    screen.heading("What the benchmark says of its CPU use, % of a CPU");
    std::vector<Screen::Row> rows;
    for (const auto& [name, ratio] : report.benchmark->cpu_ratios)
        rows.push_back({name, {format_percent(ratio)}, {}});
    if (const auto busy = free_cost(report))
        rows.push_back({"this report", {format_percent(*busy)}, "net cost in free phases"});
    screen.rows(std::move(rows), 6);
}

void write_warnings(Screen& screen, const Report& report) {
    if (report.warnings.empty()) return;
    screen.heading("Warnings");
    for (const base::Warning& warning : report.warnings)
        screen.warning(warning);
}

} // namespace

void write_table(std::ostream& out, const Report& report, const ScreenOptions& options) {
    Screen screen(out, options);
    write_head(screen, report);
    write_demands(screen, report);
    write_cpus(screen, report);
    if (report.perturbation) {
        write_perturbation(screen, *report.perturbation);
        write_interrupts(screen, *report.perturbation);
    }
    write_benchmark(screen, report);
    write_work(screen, report);
    write_warnings(screen, report);
}

} // namespace exporters
