#include "probes/virtual_machine.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace probes {
namespace {

/// Vendor and product begin so in virtual machines. An empty product: every product of theirs.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> guests{{
    {"QEMU", ""},
    {"VMware", ""},
    {"innotek GmbH", ""},
    {"Xen", ""},
    {"Parallels", ""},
    {"OpenStack", ""},
    {"DigitalOcean", ""},
    {"Alibaba Cloud", ""},
    {"Apple Inc.", "Apple Virtualization"},
    {"Google", "Google Compute Engine"},
    {"Hetzner", "vServer"},
    {"Microsoft Corporation", "Virtual Machine"},
    {"Oracle Corporation", "VirtualBox"},
}};

constexpr std::string_view ec2 = "Amazon EC2";

/// "t3" of "t3.micro"; empty where the product is no instance type.
std::string_view family(std::string_view product) {
    const auto dot = product.find('.');
    return dot == product.npos ? std::string_view() : product.substr(0, dot);
}

std::string read_name(const base::Root& root, std::string_view file) {
    return std::string(base::trim(root.read_line(file).value_or("")));
}

} // namespace

VirtualMachine read_virtual_machine(const base::Root& root, bool cpu_says_so) {
    VirtualMachine machine{.vendor = read_name(root, "sys/class/dmi/id/sys_vendor"),
                           .product = read_name(root, "sys/class/dmi/id/product_name")};
    machine.guest = cpu_says_so || root.read("sys/hypervisor/type") ||
                    root.read("proc/device-tree/hypervisor/compatible") ||
                    is_guest(machine.vendor, machine.product);
    return machine;
}

bool is_guest(std::string_view vendor, std::string_view product) {
    if (vendor == ec2) return !product.ends_with(".metal");
    return std::any_of(guests.begin(), guests.end(), [&](const auto& names) {
        return vendor.starts_with(names.first) && product.starts_with(names.second);
    });
}

std::optional<bool> is_burstable(std::string_view vendor, std::string_view product) {
    const auto name = family(product);
    if (vendor == ec2 && !name.empty())
        return name.size() > 1 && name[0] == 't' &&
               std::isdigit(static_cast<unsigned char>(name[1]));
    return std::nullopt;
}

} // namespace probes
