#include "probes/throttling.h"

#include "base/cgroups.h"
#include "base/text.h"

#include <filesystem>

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

} // namespace

Throttling::Throttling(const base::Root& root, pid_t pid) : root_(root) {
    const auto mount = base::find_cgroup_mount(root, "cpu");
    if (!mount) return;
    const auto group = base::read_group(root, pid, *mount, "cpu");
    if (!group) return;
    for (auto path = std::filesystem::path(*group).relative_path(); !path.empty();
         path = path.parent_path())
        files_.push_back((std::filesystem::path(mount->point) / path / "cpu.stat").string());
}

uint64_t Throttling::read() const {
    uint64_t throttled = 0;
    for (const auto& file : files_)
        throttled += parse_throttled(root_.read(file).value_or(""));
    return throttled;
}

} // namespace probes
