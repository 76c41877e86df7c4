#pragma once

#include "base/files.h"

#include <optional>
#include <string>
#include <string_view>

namespace probes {

/// What the machine says of itself, and whether it is one.
struct VirtualMachine {
    bool guest = false;  ///< a hypervisor is below us, as far as anything tells
    std::string vendor;  ///< DMI's, "Amazon EC2"; empty: unknown
    std::string product; ///< DMI's, "t3.micro", "Virtual Machine"; empty: unknown
};

/// `cpu_says_so`: the CPU's flags name a hypervisor (x86). Without that (aarch64) /sys/hypervisor,
/// the device tree and the DMI names decide.
VirtualMachine read_virtual_machine(const base::Root& root, bool cpu_says_so);

/// Do these DMI names belong to virtual machines only?
bool is_guest(std::string_view vendor, std::string_view product);

/// Is a guest's CPU time given on credit (EC2's t families)? nullopt: the names do not tell, as on
/// Azure and Google Compute Engine.
std::optional<bool> is_burstable(std::string_view vendor, std::string_view product);

} // namespace probes
