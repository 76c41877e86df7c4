#include "probes/host.h"

#include "probes/settings.h"
#include "probes/virtual_machine.h"

namespace probes {

std::map<std::string, std::string> read_host(const base::Root& root) {
    auto settings = read_settings(root);
    const auto machine = read_virtual_machine(root, settings.contains("hypervisor"));
    if (machine.guest) settings["hypervisor"] = "yes";
    settings["vendor"] = machine.vendor;
    settings["product"] = machine.product;
    std::map<std::string, std::string> host;
    for (const char* label : {"kernel", "preemption", "cpu_model", "microcode", "smt", "governor",
                              "clock_source", "hypervisor", "vendor", "product"})
        if (const auto found = settings.find(label);
            found != settings.end() && !found->second.empty())
            host.insert(*found);
    return host;
}

} // namespace probes
