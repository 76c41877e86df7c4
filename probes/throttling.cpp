#include "probes/throttling.h"

#include "base/cgroups.h"
#include "base/text.h"

#include <filesystem>
#include <optional>

namespace probes {
namespace {

uint64_t parse_throttled(std::string_view cpu_stat) {
    for (const auto line : base::lines(cpu_stat)) {
        const auto fields = base::split(line);
        if (fields.size() == 2 && fields[0] == "nr_throttled")
            return static_cast<uint64_t>(base::parse_integer(fields[1]).value_or(0));
    }
    return 0;
}

/// Where a group is below the mount point of a hierarchy that shows only what is below `top`.
std::filesystem::path below(const std::filesystem::path& group, const std::filesystem::path& top) {
    const auto relative = group.lexically_relative(top);
    const bool inside = !relative.empty() && *relative.begin() != "..";
    const auto path = inside ? relative : group.relative_path();
    return path == "." ? std::filesystem::path() : path;
}

} // namespace

Throttling::Throttling(const base::Root& root, pid_t pid) : root_(root) {
    const auto mount = base::find_cpu_groups(root);
    const auto group = mount ? base::read_group(root, pid, *mount, "cpu") : std::nullopt;
    if (!group) return;
    const std::filesystem::path top = mount->point;
    for (auto path = below(*group, mount->top);; path = path.parent_path()) {
        files_.push_back((top / path / "cpu.stat").string());
        if (path.empty()) break;
    }
}

uint64_t Throttling::read() const {
    uint64_t throttled = 0;
    for (const auto& file : files_)
        throttled += parse_throttled(root_.read(file).value_or(""));
    return throttled;
}

} // namespace probes
