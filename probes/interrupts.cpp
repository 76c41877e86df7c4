#include "probes/interrupts.h"

#include "base/cpu_list.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

namespace probes {
namespace {

/// The CPUs of the columns: "CPU0 CPU2 ...".
base::CpuList parse_header(std::string_view line) {
    base::CpuList cpus;
    for (const auto word : base::split(line)) {
        const auto cpu =
            word.starts_with("CPU") ? base::parse_integer(word.substr(3)) : std::nullopt;
        if (!cpu) throw base::ParseError("/proc/interrupts", 1, "not a line of CPUs");
        cpus.push_back(static_cast<int>(*cpu));
    }
    return cpus;
}

std::map<int, uint64_t> parse_line(std::string_view line, int number, const base::CpuList& cpus) {
    const auto columns = base::split(line);
    std::map<int, uint64_t> counts;
    for (size_t i = 0; i < cpus.size(); ++i) {
        const auto count =
            i + 1 < columns.size() ? base::parse_integer(columns[i + 1]) : std::optional<int64_t>();
        if (!count)
            throw base::ParseError("/proc/interrupts", number,
                                   fmt::format("no count for CPU {}", cpus[i]));
        counts[cpus[i]] = static_cast<uint64_t>(*count);
    }
    return counts;
}

} // namespace

InterruptCounts parse_interrupts(std::string_view text) {
    InterruptCounts counts;
    base::CpuList cpus;
    int number = 0;
    for (auto line : base::lines(text)) {
        if (++number == 1) cpus = parse_header(line);
        line = base::trim(line);
        if (line.ends_with("Rescheduling interrupts"))
            counts.reschedule = parse_line(line, number, cpus);
        else if (line.ends_with("Function call interrupts"))
            counts.function_call = parse_line(line, number, cpus);
        else if (line.ends_with("TLB shootdowns"))
            counts.tlb_shootdown = parse_line(line, number, cpus);
    }
    return counts;
}

} // namespace probes
