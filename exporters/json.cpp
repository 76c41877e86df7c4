#include "exporters/json.h"

#include "base/error.h"
#include "exporters/json_archive.h"

#include <algorithm>

namespace exporters {
namespace {

constexpr int schema = 1;
const std::string report_name = "a report";

} // namespace

void describe(auto& archive, Is<demand::CpuReport> auto& cpu) {
    archive("cpu", cpu.cpu);
    archive.among("soaked_phase_seconds", cpu.soaked, [&](auto& window) {
        describe_window(archive, window);
        archive("baseline_seconds", cpu.baseline);
    });
    archive("kernel_network_seconds", cpu.kernel_network);
    archive("steal_seconds", cpu.steal);
    archive("free_phase_seconds", cpu.free_elapsed);
    archive("idle_time_busy_seconds", cpu.idle_time_busy);
    archive("idle_time_baseline_seconds", cpu.idle_time_baseline);
    archive("task_seconds", cpu.task_time);
    archive("tick_busy_seconds", cpu.tick_busy);
    archive("tick_total_seconds", cpu.tick_total);
}

void describe(auto& archive, Is<demand::PhaseReport> auto& phase) {
    archive("kind", phase.kind);
    archive("pair", phase.pair);
    archive("start", phase.start);
    archive("seconds", phase.elapsed);
    archive.unless_empty("apportioned", phase.units);
    archive("proxy_packets", phase.proxy_packets);
    archive("proxy_bytes", phase.proxy_bytes);
    archive("net_seconds", phase.net_seconds);
    archive("task_seconds", phase.task_seconds);
    archive("reschedule", phase.reschedule);
    archive("function_call", phase.function_call);
    archive("tlb_shootdown", phase.tlb_shootdown);
}

void describe(auto& archive, Is<demand::BaselineReport> auto& baseline) {
    archive("kind", baseline.kind);
    archive("phases", baseline.phases);
    archive("seconds", baseline.elapsed);
    archive("net_error_seconds", baseline.net_error_seconds);
    archive("task_error_seconds", baseline.task_error_seconds);
}

void describe(auto& archive, Is<demand::Demand> auto& demand) {
    archive("unit", demand.unit);
    archive("source", demand.source);
    archive("method", demand.method);
    archive("seconds_per_unit", demand.seconds_per_unit.value);
    archive("low", demand.seconds_per_unit.low);
    archive("high", demand.seconds_per_unit.high);
    archive("confidence", demand.confidence);
    archive("pairs", demand.pairs);
    archive("blocks", demand.blocks);
}

void describe(auto& archive, Is<demand::Estimate> auto& ratio) {
    archive("ratio", ratio.value);
    archive("low", ratio.low);
    archive("high", ratio.high);
}

void describe(auto& archive, Is<demand::Perturbation::Interrupts> auto& interrupts) {
    archive("reschedule", interrupts.reschedule);
    archive("function_call", interrupts.function_call);
    archive("tlb_shootdown", interrupts.tlb_shootdown);
}

void describe(auto& archive, Is<demand::Perturbation> auto& perturbation) {
    archive("unit", perturbation.unit);
    archive("rate_ratio", perturbation.rate_ratio.value);
    archive("low", perturbation.rate_ratio.low);
    archive("high", perturbation.rate_ratio.high);
    archive("pairs", perturbation.pairs);
    archive("blocks", perturbation.blocks);
    archive.among("cpu_per_unit_ratio", perturbation.cpu_per_unit_ratio, [&](auto& ratio) {
        archive("cpu_per_unit_ratio", ratio.value);
        archive("cpu_low", ratio.low);
        archive("cpu_high", ratio.high);
        archive("cpu_pairs", perturbation.cpu_pairs);
        archive("cpu_blocks", perturbation.cpu_blocks);
    });
    archive("interrupt_unit", perturbation.interrupt_unit);
    archive("soaked_interrupts", perturbation.soaked);
    archive("free_interrupts", perturbation.free);
    archive("soaked_carry_over", perturbation.soaked_carry_over_ratio);
    archive("free_carry_over", perturbation.free_carry_over_ratio);
}

void describe(auto& archive, Is<demand::BenchmarkReport> auto& benchmark) {
    archive("command", benchmark.command);
    archive("exit_status", benchmark.exit_status);
    archive.unless_empty("cpu_ratios", benchmark.cpu_ratios);
}

void describe(auto& archive, Is<demand::PeerReport> auto& peer) {
    archive("address", peer.address);
    archive.unless_empty("cyclesoak", peer.cyclesoak);
    archive.among("seconds", peer.interval, [&](auto& interval) {
        archive("seconds", interval.elapsed);
        archive("cpus", interval.cpus);
        archive("busy_seconds", interval.busy);
        archive("baseline_seconds", interval.baseline);
        archive("baseline_stretches", interval.baseline_stretches);
        archive.unless_empty("units", interval.units);
    });
    archive("demand", peer.demands);
    archive.unless_empty("absent", peer.absent);
    archive.unless_empty("soaked_absent", peer.soaked_absent);
}

void describe_work(auto& archive, auto& report) {
    auto& work = report.work;
    archive.unless_empty("source", work.source);
    archive.unless_empty("unit", report.unit);
    archive.unless_empty("proxy", report.proxy);
    archive("seconds", work.seconds);
    archive("bytes", work.bytes);
    archive("packets", work.packets);
    archive("transactions", work.transactions);
    archive.unless_empty("units", work.units);
    archive("complete", work.complete);
    archive("proxy_packets", report.proxy_packets);
    archive("proxy_bytes", report.proxy_bytes);
    archive.unless_empty("packet", report.packet);
}

void describe(auto& archive, Is<demand::Report> auto& report) {
    archive("seconds", report.elapsed);
    archive("cpus", report.cpus);
    archive("phases", report.phases);
    archive.unless_empty("baseline", report.baselines);
    archive.object("work", [&](auto& inner) { describe_work(inner, report); });
    archive("demand", report.demands);
    archive("perturbation", report.perturbation);
    archive("benchmark", report.benchmark);
    archive("peer", report.peer);
    archive.unless_empty("yielding", report.yielding);
    archive("settings", report.settings);
    archive("warnings", report.warnings);
}

Json make_json_head() {
    Json json;
    json["schema"] = schema;
    json["cyclesoak"] = CYCLESOAK_VERSION;
    return json;
}

namespace {

/// Work in the report's first unit: it follows from what was apportioned.
void add_units(Json& json, const demand::Report& report) {
    for (size_t i = 0; i < report.phases.size(); ++i) {
        const auto found = report.phases[i].units.find(report.unit);
        if (found != report.phases[i].units.end()) json["phases"][i]["units"] = found->second;
    }
}

int line_of(std::string_view text, size_t byte) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
    return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

void check_schema(const Json& json, const std::string& file, const std::string& what) {
    if (!json.is_object() || !json.contains("schema") || !json["schema"].is_number_integer())
        throw base::ParseError(file, 0, "this is not " + what + " of cyclesoak");
    const auto found = json["schema"].get<int64_t>();
    if (found != schema)
        throw base::ParseError(file, 0,
                               "schema " + std::to_string(found) + " is not known here, only " +
                                   std::to_string(schema) + "; use a later cyclesoak");
}

demand::Report parse_report(const Json& json, const std::string& file) {
    check_schema(json, file, report_name);
    demand::Report report;
    try {
        JsonReader reader(json);
        describe(reader, report);
    } catch (const std::runtime_error& error) {
        throw base::ParseError(file, 0, error.what());
    }
    for (demand::CpuReport& cpu : report.cpus)
        if (cpu.soaked) cpu.soaked->cpu = cpu.cpu;
    return report;
}

} // namespace

Json parse_document(std::string_view text, const std::string& file, const std::string& what) {
    Json json;
    try {
        json = Json::parse(text);
    } catch (const Json::parse_error& error) {
        throw base::ParseError(file, line_of(text, error.byte), "this is not valid JSON");
    }
    check_schema(json, file, what);
    return json;
}

Json make_json(const demand::Report& report) {
    Json json = make_json_head();
    JsonWriter writer;
    describe(writer, report);
    json.update(writer.take());
    add_units(json, report);
    return json;
}

void write_json(std::ostream& out, const std::vector<demand::Report>& reports) {
    Json json = make_json_head();
    if (reports.size() == 1)
        json = make_json(reports.front());
    else
        for (const demand::Report& report : reports)
            json["runs"].push_back(make_json(report));
    // What is not UTF-8, such as a file name in a command, must not cost us the report.
    out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

std::vector<demand::Report> parse_reports(std::string_view text, const std::string& file) {
    const Json json = parse_document(text, file, report_name);
    if (!json.contains("runs")) return {parse_report(json, file)};
    std::vector<demand::Report> reports;
    for (const Json& run : json["runs"])
        reports.push_back(parse_report(run, file));
    return reports;
}

} // namespace exporters
