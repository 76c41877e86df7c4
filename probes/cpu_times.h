#pragma once

#include "base/cpu_list.h"
#include "base/files.h"
#include "base/time.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace probes {

using base::Nanoseconds;

/// One CPU's line of /proc/stat.
struct CpuTimes {
    Nanoseconds idle{}; ///< idle + iowait
    Nanoseconds busy{}; ///< user (which contains guest), nice, system, irq, softirq, steal
    Nanoseconds steal{};
    Nanoseconds interrupts{}; ///< irq + softirq
};

/// /proc/stat by CPU; `ticks_per_second` is sysconf(_SC_CLK_TCK). Offline CPUs have no line and are
/// absent. Throws ParseError.
std::map<int, CpuTimes> parse_stat(std::string_view text, int64_t ticks_per_second);

/// cpuacct.usage_percpu: nanoseconds, one column for each of the `possible` CPUs. Throws ParseError.
std::map<int, Nanoseconds> parse_usage_percpu(std::string_view text, const base::CpuList& possible);

/// Task time by CPU from /proc/schedstat, versions 15 to 17: the seventh figure of a CPU's line, in
/// nanoseconds. It grows when a task leaves the CPU, so one that never does is not in it yet.
/// Throws ParseError, also for a version whose columns are not known.
std::map<int, Nanoseconds> parse_schedstat(std::string_view text);

/// The file that holds the scheduler's own time of all tasks of the host, by CPU.
struct TaskTimeSource {
    std::string name; ///< below the root
    /// Columns of a cpuacct.usage_percpu; empty: the file is /proc/schedstat.
    base::CpuList columns;
};

/// The root cpuacct group's usage_percpu, else /proc/schedstat, else nullopt. A container sees a
/// group of its own as the top of the tree: that one counts only the container and is not taken.
std::optional<TaskTimeSource> find_task_time(const base::Root& root);

} // namespace probes
