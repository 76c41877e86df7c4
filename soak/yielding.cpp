#include "soak/yielding.h"

#include "base/cgroups.h"
#include "base/error.h"
#include "base/process.h"
#include "base/text.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

namespace soak {
namespace {

constexpr std::string_view group_prefix = "cyclesoak-";

base::Warning no_group_warning(const std::string& why) {
    return {"no-cgroup",
            fmt::format("the soakers have no idle CPU group of their own ({}); they may take about "
                        "1 % of a CPU from a busy load. As root on a host they would have one.",
                        why)};
}

/// Which kind of group to try: a v2 hierarchy has one owner. Where its top does not hand out `cpu`
/// systemd would switch that on for the whole host: that is for the user to ask for.
Yield group_method(const base::Root& root) {
    const auto mount = base::find_cgroup_mount(root, "cpu");
    return mount && mount->version == 2 && runs_systemd(root) ? Yield::slice : Yield::cgroup;
}

/// Autogroups count for processes of the top CPU group only.
bool has_autogroup(const base::Root& root, pid_t pid) {
    if (root.read_line("/proc/sys/kernel/sched_autogroup_enabled") != "1") return false;
    const auto mount = base::find_cgroup_mount(root, "cpu");
    return !mount || base::read_group(root, pid, *mount, "cpu") == "/";
}

/// The process's autogroup is now the weakest.
bool weaken_autogroup(const base::Root& root, pid_t pid) {
    if (!has_autogroup(root, pid)) return false;
    try {
        base::write_file(root.at(fmt::format("/proc/{}/autogroup", pid)), "19");
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

} // namespace

Yield parse_yield(const std::string& text) {
    if (text == "auto") return Yield::automatic;
    for (const auto method : {Yield::cgroup, Yield::slice, Yield::autogroup, Yield::none})
        if (text == to_string(method)) return method;
    throw base::UsageError(
        fmt::format("--yield: '{}' is not auto, slice, cgroup, autogroup or none", text));
}

std::string to_string(Yield method) {
    switch (method) {
    case Yield::automatic:
        return "auto";
    case Yield::cgroup:
        return "cgroup";
    case Yield::slice:
        return "slice";
    case Yield::autogroup:
        return "autogroup";
    case Yield::none:
        return "none";
    }
    return "none";
}

std::optional<std::filesystem::path> find_cpu_hierarchy(const base::Root& root) {
    const auto mount = base::find_cgroup_mount(root, "cpu");
    if (!mount) return std::nullopt;
    return root.at(mount->point);
}

void remove_dead_groups(const std::filesystem::path& hierarchy) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(hierarchy, ignored)) {
        const auto name = entry.path().filename().string();
        if (!name.starts_with(group_prefix)) continue;
        const auto pid = base::parse_integer(std::string_view(name).substr(group_prefix.size()));
        if (pid && *pid > 0 && !base::is_alive(static_cast<pid_t>(*pid)))
            rmdir(entry.path().c_str());
    }
}

std::optional<IdleGroup> IdleGroup::make(const base::Root& root, pid_t owner, pid_t pid,
                                         std::string& why) {
    const auto hierarchy = find_cpu_hierarchy(root);
    if (!hierarchy) {
        why = "no cgroup hierarchy hands out the cpu controller";
        return std::nullopt;
    }
    remove_dead_groups(*hierarchy);
    const auto path = *hierarchy / fmt::format("{}{}", group_prefix, owner);
    if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) {
        why = base::system_error("mkdir " + path.string()).what();
        return std::nullopt;
    }
    IdleGroup group(path);
    try {
        base::write_file(path / "cpu.idle", "1");
        base::write_file(path / "cgroup.procs", fmt::format("{}", pid));
    } catch (const std::system_error& error) {
        why = error.what();
        return std::nullopt;
    }
    return group;
}

IdleGroup::~IdleGroup() {
    // The kernel may take a moment to let go of a process that was just reaped.
    for (int tries = 0; !path_.empty() && tries < 50; ++tries) {
        if (rmdir(path_.c_str()) == 0 || errno != EBUSY) return;
        usleep(2000);
    }
}

Yielding make_yielding(const base::Root& root, Yield wanted, pid_t owner, pid_t pid,
                       const Systemd& systemd) {
    Yielding yielding{.method = wanted == Yield::automatic ? group_method(root) : wanted};
    std::string why;
    if (yielding.method == Yield::slice && enter_idle_slice(root, owner, pid, why, systemd))
        return yielding;
    if (yielding.method == Yield::cgroup &&
        (yielding.group = IdleGroup::make(root, owner, pid, why)))
        return yielding;
    if (wanted == Yield::slice || wanted == Yield::cgroup)
        throw std::runtime_error(fmt::format("--yield {}: {}", to_string(wanted), why));
    if (wanted == Yield::automatic) yielding.warnings.push_back(no_group_warning(why));

    yielding.method = Yield::autogroup;
    if (wanted != Yield::none && weaken_autogroup(root, pid)) return yielding;
    if (wanted == Yield::autogroup)
        throw std::runtime_error(
            "--yield autogroup: this kernel has no autogroups, they are switched off "
            "(/proc/sys/kernel/sched_autogroup_enabled), or we run in a CPU group");

    yielding.method = Yield::none;
    yielding.warnings.push_back(
        {"not-yielding", "the soakers have only their SCHED_IDLE policy; where the load runs in "
                         "another session they can take a third of a CPU from it"});
    return yielding;
}

} // namespace soak
