#pragma once

#include "base/files.h"

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace base {

/// A mounted cgroup hierarchy, from /proc/self/mountinfo.
struct CgroupMount {
    std::string point; ///< where it is mounted, below the root
    std::string top;   ///< which of its groups that shows; "/" on a host
    int version = 1;
    std::vector<std::string>
        controllers; ///< v1: of this hierarchy; v2: those handed out at the top

    bool has(std::string_view controller) const;
};

std::vector<CgroupMount> read_cgroup_mounts(const Root& root);

/// The hierarchy that shares out `controller` ("cpu", "cpuacct"): v1, else v2; nullopt: none.
std::optional<CgroupMount> find_cgroup_mount(const Root& root, std::string_view controller);

/// The hierarchy in which processes have their CPU group: that of find_cgroup_mount(root, "cpu"), else
/// v2. Its top, a container's, may hand out nothing further and still have a quota of its own.
std::optional<CgroupMount> find_cpu_groups(const Root& root);

/// The group that process `pid` (0: this one) is in, in the hierarchy of `mount`, as
/// /proc/PID/cgroup names it; nullopt: the process is gone or in none.
std::optional<std::string> read_group(const Root& root, pid_t pid, const CgroupMount& mount,
                                      std::string_view controller);

} // namespace base
