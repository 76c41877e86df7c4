#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace base {

/// CPU numbers as the kernel counts them, ascending, each once.
using CpuList = std::vector<int>;

/// "0-2,5" as in /sys/devices/system/cpu/online; empty text: no CPU. Throws ParseError.
CpuList parse_cpu_list(std::string_view text);
std::string format_cpu_list(const CpuList& cpus);

/// The CPUs that the calling thread may use at this moment; offline ones are not among them.
CpuList usable_cpus();
/// Sets the affinity of the calling thread. Throws std::system_error.
void use_cpus(const CpuList& cpus);

} // namespace base
