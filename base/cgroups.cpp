#include "base/cgroups.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace base {
namespace {

std::vector<std::string> words(std::string_view list, std::string_view separators) {
    const auto pieces = split(list, separators);
    return {pieces.begin(), pieces.end()};
}

/// A line is "id parent device top point options [tags] - type source super-options".
std::optional<CgroupMount> parse_mount(std::string_view line) {
    const auto fields = split(line);
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 5 || fields.end() - dash < 4) return std::nullopt;
    CgroupMount mount{.point = std::string(fields[4]), .top = std::string(fields[3])};
    if (dash[1] == "cgroup")
        mount.controllers = words(dash[3], ",");
    else if (dash[1] == "cgroup2")
        mount.version = 2;
    else
        return std::nullopt;
    return mount;
}

} // namespace

bool CgroupMount::has(std::string_view controller) const {
    return std::find(controllers.begin(), controllers.end(), controller) != controllers.end();
}

std::vector<CgroupMount> read_cgroup_mounts(const Root& root) {
    std::vector<CgroupMount> mounts;
    const auto text = root.read("/proc/self/mountinfo").value_or("");
    for (const auto line : lines(text)) {
        auto mount = parse_mount(line);
        if (!mount) continue;
        if (mount->version == 2)
            mount->controllers =
                words(root.read_line(mount->point + "/cgroup.subtree_control").value_or(""), " ");
        mounts.push_back(std::move(*mount));
    }
    return mounts;
}

std::optional<CgroupMount> find_cgroup_mount(const Root& root, std::string_view controller) {
    auto mounts = read_cgroup_mounts(root);
    std::stable_sort(mounts.begin(), mounts.end(),
                     [](const auto& a, const auto& b) { return a.version < b.version; });
    for (auto& mount : mounts)
        if (mount.has(controller)) return std::move(mount);
    return std::nullopt;
}

std::optional<CgroupMount> find_cpu_groups(const Root& root) {
    if (auto mount = find_cgroup_mount(root, "cpu")) return mount;
    for (auto& mount : read_cgroup_mounts(root))
        if (mount.version == 2) return std::move(mount);
    return std::nullopt;
}

/// A line of /proc/PID/cgroup is "id:controllers:path", without controllers for v2.
std::optional<std::string> read_group(const Root& root, pid_t pid, const CgroupMount& mount,
                                      std::string_view controller) {
    const auto process = pid == 0 ? "self" : fmt::format("{}", pid);
    const auto text = root.read(fmt::format("/proc/{}/cgroup", process)).value_or("");
    for (const auto line : lines(text)) {
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == line.npos) continue;
        const auto listed = split(line.substr(first + 1, second - first - 1), ",");
        const bool has = std::find(listed.begin(), listed.end(), controller) != listed.end();
        if (mount.version == 2 ? listed.empty() : has) return std::string(line.substr(second + 1));
    }
    return std::nullopt;
}

} // namespace base
