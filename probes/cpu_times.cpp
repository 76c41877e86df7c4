#include "probes/cpu_times.h"

#include "base/cgroups.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

namespace probes {
namespace {

/// The CPU of a line that begins with "cpu12"; nullopt for the sum of all and for other lines.
std::optional<int> line_cpu(std::string_view name) {
    if (!name.starts_with("cpu")) return std::nullopt;
    const auto cpu = base::parse_integer(name.substr(3));
    return cpu ? std::optional(static_cast<int>(*cpu)) : std::nullopt;
}

/// Column `index` of a line (its name is column 0) as a count.
int64_t column(const std::vector<std::string_view>& columns, size_t index, const char* file,
               int line) {
    const auto count =
        index < columns.size() ? base::parse_integer(columns[index]) : std::optional<int64_t>();
    if (!count) throw base::ParseError(file, line, fmt::format("no number in column {}", index));
    return *count;
}

/// Calls `take(cpu, columns, line number)` for every CPU's own line.
template <typename Take>
void for_each_cpu_line(std::string_view text, Take take) {
    int number = 0;
    for (const auto line : base::lines(text)) {
        ++number;
        if (!line.starts_with("cpu")) continue;
        const auto columns = base::split(line);
        if (const auto cpu = line_cpu(columns.front())) take(*cpu, columns, number);
    }
}

void require_schedstat_version(std::string_view text) {
    const auto words = base::split(text.substr(0, text.find('\n')));
    const auto version =
        words.size() == 2 && words[0] == "version" ? base::parse_integer(words[1]) : std::nullopt;
    if (!version || *version < 15 || *version > 17)
        throw base::ParseError("/proc/schedstat", 1, "not version 15, 16 or 17");
}

} // namespace

std::map<int, CpuTimes> parse_stat(std::string_view text, int64_t ticks_per_second) {
    std::map<int, CpuTimes> cpus;
    for_each_cpu_line(text, [&](int cpu, const auto& columns, int line) {
        const auto time = [&](size_t index) {
            const int64_t ticks = column(columns, index, "/proc/stat", line);
            return Nanoseconds(ticks * (1'000'000'000 / ticks_per_second));
        };
        const auto user = time(1), nice = time(2), system = time(3), idle = time(4);
        const auto iowait = time(5), irq = time(6), softirq = time(7), steal = time(8);
        cpus[cpu] = {.idle = idle + iowait,
                     .busy = user + nice + system + irq + softirq + steal,
                     .steal = steal,
                     .interrupts = irq + softirq};
    });
    return cpus;
}

std::map<int, Nanoseconds> parse_usage_percpu(std::string_view text,
                                              const base::CpuList& possible) {
    constexpr auto file = "cpuacct.usage_percpu";
    const auto columns = base::split(base::trim(text));
    if (columns.size() != possible.size())
        throw base::ParseError(
            file, 1, fmt::format("{} columns for {} CPUs", columns.size(), possible.size()));
    std::map<int, Nanoseconds> cpus;
    for (size_t i = 0; i < columns.size(); ++i)
        cpus[possible[i]] = Nanoseconds(column(columns, i, file, 1));
    return cpus;
}

std::map<int, Nanoseconds> parse_schedstat(std::string_view text) {
    require_schedstat_version(text);
    std::map<int, Nanoseconds> cpus;
    for_each_cpu_line(text, [&](int cpu, const auto& columns, int line) {
        cpus[cpu] = Nanoseconds(column(columns, 7, "/proc/schedstat", line));
    });
    return cpus;
}

std::optional<TaskTimeSource> find_task_time(const base::Root& root) {
    const auto mount = base::find_cgroup_mount(root, "cpuacct");
    // Only the true top of a hierarchy has this file, whatever a cgroup namespace makes of paths.
    if (mount && root.read(mount->point + "/cgroup.sane_behavior")) {
        const auto possible = root.read("sys/devices/system/cpu/possible");
        if (possible)
            return TaskTimeSource{mount->point + "/cpuacct.usage_percpu",
                                  base::parse_cpu_list(*possible)};
    }
    if (root.read("proc/schedstat")) return TaskTimeSource{"proc/schedstat", {}};
    return std::nullopt;
}

} // namespace probes
