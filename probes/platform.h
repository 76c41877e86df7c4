#pragma once

#include "base/cpu_list.h"
#include "base/files.h"
#include "probes/cpu_groups.h"
#include "probes/idle_states.h"
#include "probes/virtual_machine.h"

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace probes {

/// "6.8" of "6.8.0-45-generic".
struct KernelRelease {
    int major = 0;
    int minor = 0;
    auto operator<=>(const KernelRelease&) const = default;
};

/// CPUs that are alike, where not all are.
struct CoreKind {
    std::string name; ///< "cpu_core", "capacity 446", "5200 MHz"
    base::CpuList cpus;
    bool operator==(const CoreKind&) const = default;
};

/// What of the machine and its kernel helps or spoils a measurement, beside what read_settings()
/// tells. What is not known is absent.
struct Platform {
    std::optional<KernelRelease> kernel;
    std::vector<std::string> clock_sources; ///< all that the kernel could use
    std::optional<bool> tick_stops;         ///< when a CPU idles; /proc/timer_list, for root only
    std::optional<bool> autogroup;          ///< the kernel shares CPUs between sessions
    std::vector<CpuGroup> groups;           ///< that we are in, ours first, the top last
    std::optional<int> cpu_hierarchy; ///< cgroup version of the one that shares out CPUs; none does
    base::CpuList online;
    std::vector<CoreKind> core_kinds; ///< empty: all alike, or it is not known
    IdleStates idle;
    VirtualMachine virtual_machine;
    std::optional<double> steal_ratio; ///< of all CPU time since boot
    bool lxcfs = false;                ///< /proc/stat is lxcfs's and not the kernel's
    std::optional<bool> on_battery;    ///< absent: there is none
};

/// Process `pid` is the one whose groups are meant. Throws ParseError for what is not as the kernel
/// writes it.
Platform read_platform(const base::Root& root, pid_t pid);

/// nullopt for what does not begin with two numbers.
std::optional<KernelRelease> parse_kernel_release(std::string_view release);

/// /proc/timer_list: does any CPU's tick stop in idle? nullopt: it does not tell.
std::optional<bool> parse_tick_stops(std::string_view timer_list);

/// Is lxcfs mounted over /proc/stat, by /proc/self/mountinfo?
bool parse_lxcfs(std::string_view mountinfo);

/// Groups CPUs by a figure of theirs, such as their highest frequency; empty if they are all within
/// a fifth of the highest: cores of one kind differ by a little, too.
std::vector<CoreKind> make_core_kinds(const std::map<int, int64_t>& figures,
                                      std::string_view prefix, std::string_view suffix);

} // namespace probes
