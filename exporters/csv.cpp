#include "exporters/csv.h"

#include "exporters/json.h"

#include <array>
#include <string>

namespace exporters {
namespace {

using Json = nlohmann::ordered_json;

/// Keys of the rows' objects; a dot leads into an inner one.
constexpr std::array columns{"cpu",
                             "soaked_phase_seconds",
                             "soaked_seconds",
                             "own_seconds",
                             "clock_stopped_seconds",
                             "stolen_seconds",
                             "baseline_seconds",
                             "causes.tasks",
                             "causes.interrupts",
                             "causes.hypervisor",
                             "causes.core",
                             "causes.cache",
                             "causes.unexplained",
                             "core_share_ratio",
                             "stalls",
                             "throughput_blocks",
                             "contended_blocks",
                             "kernel_network_seconds",
                             "steal_seconds",
                             "free_phase_seconds",
                             "idle_time_busy_seconds",
                             "idle_time_baseline_seconds",
                             "task_seconds",
                             "tick_busy_seconds",
                             "tick_total_seconds",
                             "unit",
                             "source",
                             "method",
                             "seconds_per_unit",
                             "rate_ratio",
                             "low",
                             "high",
                             "confidence",
                             "pairs",
                             "blocks",
                             "cpu_per_unit_ratio",
                             "cpu_low",
                             "cpu_high",
                             "cpu_pairs",
                             "cpu_blocks",
                             "interrupt_unit",
                             "soaked_interrupts.reschedule",
                             "soaked_interrupts.function_call",
                             "soaked_interrupts.tlb_shootdown",
                             "free_interrupts.reschedule",
                             "free_interrupts.function_call",
                             "free_interrupts.tlb_shootdown",
                             "soaked_carry_over.ratio",
                             "soaked_carry_over.low",
                             "soaked_carry_over.high",
                             "free_carry_over.ratio",
                             "free_carry_over.low",
                             "free_carry_over.high"};

std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char byte : text)
        result += byte == '"' ? "\"\"" : std::string(1, byte);
    return result + '"';
}

std::string field(const Json& row, std::string column) {
    for (char& byte : column)
        byte = byte == '.' ? '/' : byte;
    const Json::json_pointer pointer("/" + column);
    if (!row.contains(pointer)) return "";
    const Json& value = row.at(pointer);
    return quoted(value.is_string() ? value.get<std::string>() : value.dump());
}

void write_row(std::ostream& out, int run, const char* kind, const Json& row) {
    out << run << ',' << kind;
    for (const char* column : columns)
        out << ',' << field(row, column);
    out << '\n';
}

} // namespace

void write_csv_header(std::ostream& out) {
    out << "run,row";
    for (const char* column : columns)
        out << ',' << column;
    out << '\n';
}

void write_csv_rows(std::ostream& out, const demand::Report& report, int run) {
    const Json json = make_json(report);
    for (const Json& cpu : json.at("cpus"))
        write_row(out, run, "cpu", cpu);
    for (const Json& demand : json.at("demand"))
        write_row(out, run, "demand", demand);
    if (json.contains("peer"))
        for (const Json& demand : json.at("peer").at("demand"))
            write_row(out, run, "peer-demand", demand);
    if (json.contains("perturbation")) write_row(out, run, "perturbation", json.at("perturbation"));
}

void write_csv(std::ostream& out, const std::vector<demand::Report>& reports) {
    write_csv_header(out);
    int run = 0;
    for (const demand::Report& report : reports)
        write_csv_rows(out, report, ++run);
}

} // namespace exporters
