#pragma once

#include "base/files.h"

#include <map>
#include <string>

namespace probes {

/// What a host is, for telling hosts apart by what their traffic costs; by label, what is not known
/// is left out: kernel, preemption, cpu_model, microcode, smt, governor, clock_source, hypervisor
/// ("yes" in a virtual machine), vendor and product (DMI's, of the machine or the cloud).
std::map<std::string, std::string> read_host(const base::Root& root);

} // namespace probes
