#include "exporters/cpu_table.h"

#include "exporters/numbers.h"
#include "exporters/quantities.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace exporters {
namespace {

using base::Nanoseconds;
using demand::CpuReport;
using Time = std::optional<Nanoseconds>;

/// A row: a time of a CPU, told as part of another.
struct Line {
    std::string label;
    std::string_view quantity; ///< what explains it
    std::function<Time(const CpuReport&)> part, whole;
};

struct Column {
    std::string title;
    std::vector<const CpuReport*> cpus;
};

Time soaked_time(const CpuReport& cpu, Nanoseconds soak::CpuWindow::*time) {
    return cpu.soaked ? Time((*cpu.soaked).*time) : Time();
}

Time difference(Time a, Time b) { return a && b ? Time(*a - *b) : Time(); }

/// A line of the soaked phases.
Line soaked(const std::string& label, std::string_view quantity,
            std::function<Time(const CpuReport&)> part) {
    return {label, quantity, std::move(part),
            [](const CpuReport& cpu) { return soaked_time(cpu, &soak::CpuWindow::elapsed); }};
}

Line window_line(const std::string& label, std::string_view quantity,
                 Nanoseconds soak::CpuWindow::*time) {
    return soaked(label, quantity, [time](const CpuReport& cpu) { return soaked_time(cpu, time); });
}

Line cause_line(std::string_view cause, Nanoseconds soak::Causes::*time) {
    return soaked(std::string(cause), cause, [time](const CpuReport& cpu) {
        return cpu.soaked ? Time(cpu.soaked->causes.*time) : Time();
    });
}

std::vector<Line> soaked_lines() {
    return {
        cause_line("tasks", &soak::Causes::tasks),
        soaked("  kernel network", "kernel_network_seconds",
               [](const CpuReport& cpu) { return cpu.kernel_network; }),
        cause_line("interrupts", &soak::Causes::interrupts),
        soaked("hypervisor", "hypervisor",
               [](const CpuReport& cpu) {
                   return cpu.soaked ? cpu.soaked->causes.hypervisor : Time();
               }),
        cause_line("core", &soak::Causes::core),
        cause_line("cache", &soak::Causes::cache),
        cause_line("unexplained", &soak::Causes::unexplained),
        window_line("= stolen", "stolen_seconds", &soak::CpuWindow::stolen),
        soaked("- baseline", "baseline_seconds", [](const CpuReport& cpu) { return cpu.baseline; }),
        soaked("= net cost", "",
               [](const CpuReport& cpu) {
                   return difference(soaked_time(cpu, &soak::CpuWindow::stolen), cpu.baseline);
               }),
        window_line("own", "own_seconds", &soak::CpuWindow::own),
        window_line("soaked", "soaked_seconds", &soak::CpuWindow::soaked),
        soaked("steal", "steal_seconds", [](const CpuReport& cpu) { return cpu.steal; }),
    };
}

/// A line of the free phases.
Line free(const std::string& label, std::string_view quantity, Time CpuReport::*time) {
    return {label, quantity, [time](const CpuReport& cpu) { return cpu.*time; },
            [](const CpuReport& cpu) { return cpu.free_elapsed; }};
}

std::vector<Line> free_lines() {
    return {
        free("busy", "idle_time_busy_seconds", &CpuReport::idle_time_busy),
        free("- baseline", "idle_time_baseline_seconds", &CpuReport::idle_time_baseline),
        {"= net cost", "",
         [](const CpuReport& cpu) {
             return difference(cpu.idle_time_busy, cpu.idle_time_baseline);
         },
         [](const CpuReport& cpu) { return cpu.free_elapsed; }},
        free("threads", "task_seconds", &CpuReport::task_time),
        {"top would say", "tick_busy_seconds", [](const CpuReport& cpu) { return cpu.tick_busy; },
         [](const CpuReport& cpu) { return cpu.tick_total; }},
    };
}

/// Sum over the column's CPUs of part ÷ whole; nothing if one does not know it.
std::optional<double> ratio(const Line& line, const Column& column) {
    double sum = 0;
    for (const CpuReport* cpu : column.cpus) {
        const Time part = line.part(*cpu), whole = line.whole(*cpu);
        if (!part || !whole || *whole <= Nanoseconds{}) return {};
        sum += base::to_seconds(*part) / base::to_seconds(*whole);
    }
    return column.cpus.empty() ? std::nullopt : std::optional(sum);
}

void write_section(Screen& screen, const std::string& heading, const std::vector<Line>& lines,
                   const std::vector<Column>& columns) {
    std::vector<Screen::Row> rows(1);
    for (const Column& column : columns)
        rows[0].cells.push_back(column.title);
    for (const Line& line : lines) {
        Screen::Row row{line.label, {}, {}};
        if (!line.quantity.empty()) row.note = quantity(line.quantity).help;
        bool known = false;
        for (const Column& column : columns) {
            const auto value = ratio(line, column);
            known = known || value;
            row.cells.push_back(value ? format_percent(*value) : "-");
        }
        if (known) rows.push_back(std::move(row));
    }
    if (rows.size() == 1) return;
    screen.heading(heading);
    screen.rows(std::move(rows), 6);
}

double load_of(const CpuReport& cpu) {
    if (cpu.soaked) return base::to_seconds(cpu.soaked->stolen);
    return base::to_seconds(cpu.idle_time_busy.value_or(Nanoseconds{}));
}

std::vector<Column> make_columns(const Screen& screen, const std::vector<CpuReport>& cpus) {
    constexpr int label = 19, column = 8, most = 16;
    std::vector<Column> columns;
    const auto name = [](const CpuReport& cpu) { return fmt::format("cpu{}", cpu.cpu); };
    if (cpus.size() > 1) {
        columns.push_back({"sum", {}});
        for (const CpuReport& cpu : cpus)
            columns[0].cpus.push_back(&cpu);
    }
    const int room = std::min(most, (screen.width() - label) / column - 1);
    if (static_cast<int>(cpus.size()) <= room) {
        for (const CpuReport& cpu : cpus)
            columns.push_back({name(cpu), {&cpu}});
        return columns;
    }
    const auto [least, busiest] =
        std::minmax_element(cpus.begin(), cpus.end(), [](const CpuReport& a, const CpuReport& b) {
            return load_of(a) < load_of(b);
        });
    columns.push_back({"most: " + name(*busiest), {&*busiest}});
    columns.push_back({"least: " + name(*least), {&*least}});
    return columns;
}

} // namespace

void write_cpus(Screen& screen, const demand::Report& report) {
    const auto columns = make_columns(screen, report.cpus);
    write_section(screen, "Where the time went in soaked phases, % of a CPU", soaked_lines(),
                  columns);
    write_section(screen, "Busy in free phases, % of a CPU", free_lines(), columns);
}

} // namespace exporters
