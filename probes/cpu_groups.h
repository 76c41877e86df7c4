#pragma once

#include "base/files.h"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace probes {

/// What one group of the cpu hierarchy allows its processes.
struct CpuGroup {
    std::string folder;               ///< below the root: "/sys/fs/cgroup/user.slice"
    std::optional<double> quota_cpus; ///< how many CPUs' time it may use; absent: no quota
    /// Its share against its neighbours, 1: the usual one; absent: it has no weight of its own.
    std::optional<double> weight_ratio;
    bool idle = false; ///< cpu.idle: runs only when nobody else wants the CPU
};

/// Folders of the groups that process `pid` is in, its own first and the hierarchy's top last;
/// empty where no cpu hierarchy is mounted or the process is gone.
std::vector<std::string> find_cpu_group_folders(const base::Root& root, pid_t pid);

/// What each of those allows, in the same order.
std::vector<CpuGroup> read_cpu_groups(const base::Root& root, pid_t pid);

/// CPUs from cpu.max, "200000 100000" or "max 100000"; nullopt: no quota. Throws ParseError.
std::optional<double> parse_cpu_max(std::string_view text);

} // namespace probes
