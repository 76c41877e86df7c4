#pragma once

#include "base/files.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace probes {

/// What two reports must have in common to be compared, by name. What is not there is left out.
using Settings = std::map<std::string, std::string>;

/// The machine's settings, read once for a report:
/// - kernel, kernel_version, kernel_hz, preemption, clock_source;
/// - cpu_model, microcode, smt, governor, boost, hypervisor ("yes" in a virtual machine);
/// - sysctls under their own names (net.core.busy_read, net.ipv4.tcp_rmem, ...);
/// - boot.NAME for the flags of the kernel's command line that change timing;
/// - cgroup: the CPU group we run in.
Settings read_settings(const base::Root& root);

/// cpu_model, microcode and hypervisor from /proc/cpuinfo, of its first CPU (aarch64 has no model
/// name: implementer and part).
Settings parse_cpuinfo(std::string_view cpuinfo);

/// boot.NAME from /proc/cmdline.
Settings parse_command_line(std::string_view command_line);

/// "full" from /sys/kernel/debug/sched/preempt: the mode in parentheses.
std::optional<std::string> parse_preempt(std::string_view text);

/// "PREEMPT_DYNAMIC" from the kernel's version text: what it was built for.
std::optional<std::string> parse_preempt_flag(std::string_view version);

} // namespace probes
