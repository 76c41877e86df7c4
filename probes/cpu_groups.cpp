#include "probes/cpu_groups.h"

#include "base/cgroups.h"
#include "base/error.h"
#include "base/text.h"

#include <filesystem>

namespace probes {
namespace {

constexpr double usual_weight = 100;  // cpu.weight
constexpr double usual_shares = 1024; // cpu.shares

/// Where a group is below the mount point of a hierarchy that shows only what is below `top`.
std::filesystem::path below(const std::filesystem::path& group, const std::filesystem::path& top) {
    const auto relative = group.lexically_relative(top);
    const bool inside = !relative.empty() && *relative.begin() != "..";
    const auto path = inside ? relative : group.relative_path();
    return path == "." ? std::filesystem::path() : path;
}

std::optional<double> read_value(const base::Root& root, const std::string& file) {
    return base::parse_number(base::trim(root.read_line(file).value_or("")));
}

/// v1: "-1" in cpu.cfs_quota_us is no quota.
std::optional<double> read_quota(const base::Root& root, const std::string& folder) {
    if (const auto limit = root.read_line(folder + "/cpu.max")) return parse_cpu_max(*limit);
    const auto quota = read_value(root, folder + "/cpu.cfs_quota_us");
    const auto period = read_value(root, folder + "/cpu.cfs_period_us");
    if (quota.value_or(-1) <= 0 || period.value_or(0) <= 0) return std::nullopt;
    return *quota / *period;
}

std::optional<double> read_weight_ratio(const base::Root& root, const std::string& folder) {
    if (const auto weight = read_value(root, folder + "/cpu.weight")) return *weight / usual_weight;
    if (const auto shares = read_value(root, folder + "/cpu.shares")) return *shares / usual_shares;
    return std::nullopt;
}

} // namespace

std::vector<std::string> find_cpu_group_folders(const base::Root& root, pid_t pid) {
    const auto mount = base::find_cpu_groups(root);
    const auto group = mount ? base::read_group(root, pid, *mount, "cpu") : std::nullopt;
    if (!group) return {};
    std::vector<std::string> folders;
    const std::filesystem::path top = mount->point;
    for (auto path = below(*group, mount->top);; path = path.parent_path()) {
        folders.push_back(path.empty() ? top.string() : (top / path).string());
        if (path.empty()) return folders;
    }
}

std::vector<CpuGroup> read_cpu_groups(const base::Root& root, pid_t pid) {
    std::vector<CpuGroup> groups;
    for (const auto& folder : find_cpu_group_folders(root, pid))
        groups.push_back({.folder = folder,
                          .quota_cpus = read_quota(root, folder),
                          .weight_ratio = read_weight_ratio(root, folder),
                          .idle = read_value(root, folder + "/cpu.idle") == 1});
    return groups;
}

std::optional<double> parse_cpu_max(std::string_view text) {
    const auto fields = base::split(base::trim(text));
    if (!fields.empty() && fields[0] == "max") return std::nullopt;
    const auto quota = fields.size() == 2 ? base::parse_number(fields[0]) : std::nullopt;
    const auto period = fields.size() == 2 ? base::parse_number(fields[1]) : std::nullopt;
    if (!quota || period.value_or(0) <= 0)
        throw base::ParseError("cpu.max", 1, "a quota and a period are wanted");
    return *quota / *period;
}

} // namespace probes
