#include "commands/diagnosis_topics.h"

#include <fmt/format.h>

#include <algorithm>

namespace commands {
namespace {

using base::Finding;
using base::Severity;
using probes::CpuGroup;
using probes::KernelRelease;

constexpr KernelRelease first_with_idle_groups{5, 15};
constexpr KernelRelease first_eevdf{6, 6}, last_late_eevdf{6, 14};
constexpr KernelRelease first_lazy{6, 13};

/// Why the soakers have no group of their own; empty: they have, or were not to.
std::string no_group(const Facts& facts) {
    const auto* warning = facts.warning("no-cgroup");
    return warning ? " " + warning->text : "";
}

/// What gives the soakers an idle group of their own; empty: nothing that one could type.
std::string better_yielding(const Facts& facts) {
    if (!facts.root) return "sudo cyclesoak doctor";
    if (!facts.platform.cpu_hierarchy && !facts.platform.groups.empty())
        return "echo +cpu | sudo tee /sys/fs/cgroup/cgroup.subtree_control";
    return "";
}

Finding yielding(const Facts& facts) {
    if (!facts.yielding) return not_measured("yielding", "How the soakers would yield");
    const auto what = "The soakers yield by " + soak::to_string(*facts.yielding) + ".";
    if (*facts.yielding == soak::Yield::none)
        return {"yielding", Severity::bad, what,
                "They have only their SCHED_IDLE policy: from a load in another session they can "
                "take a third of a CPU." +
                    no_group(facts),
                better_yielding(facts)};
    if (*facts.yielding == soak::Yield::autogroup)
        return {"yielding", Severity::note, what,
                "It is nearly as good as a group of their own: a busy load can lose about 1 % of a "
                "CPU." +
                    no_group(facts),
                better_yielding(facts)};
    return {"yielding", Severity::good, what,
            "Their group is idle: every load comes first, whatever its session."};
}

Finding taken(const Facts& facts) {
    const auto ratio = facts.observed.taken_ratio;
    if (!ratio) return not_measured("taken", "What the soakers take from a busy thread");
    const auto what = fmt::format(
        "The soakers take {} of a CPU from a thread that wants all of it.", say_percent(*ratio));
    if (*ratio <= 0.02) return {"taken", Severity::good, what, "A busy load hardly notices them."};
    return {"taken", *ratio <= 0.05 ? Severity::warning : Severity::bad, what,
            "A busy load runs that much slower while it is soaked, and seems to cost as much more.",
            better_yielding(facts)};
}

std::string say(const demand::WakeUp& wake_up) {
    return fmt::format("{} late (one in a hundred {})", say_microseconds(wake_up.p50),
                       say_microseconds(wake_up.p99));
}

Finding wake_up(const Facts& facts) {
    const auto& observed = facts.observed;
    const auto severity = judge_wake_up(observed);
    if (!severity) return not_measured("wake-up", "How late a sleeper wakes");
    auto what = "A sleeper on a soaked CPU wakes " + say(*observed.soaked_wake_up);
    if (observed.free_wake_up) what += ", on a free one " + say(*observed.free_wake_up);
    if (*severity == Severity::good)
        return {"wake-up", Severity::good, what + ".",
                "Soaking does not hold up loads that sleep and wake."};
    return {"wake-up", *severity, what + ".",
            "Loads that sleep and wake, as network loads do, run slower while they are soaked. "
            "Trust the idle-time demand and the perturbation in the report, or do without soaking.",
            "cyclesoak run --free -- BENCHMARK"};
}

Finding cpu_quota(const Facts& facts) {
    const auto& groups = facts.platform.groups;
    const CpuGroup* tightest = nullptr;
    for (const auto& group : groups)
        if (group.quota_cpus && (!tightest || *group.quota_cpus < *tightest->quota_cpus))
            tightest = &group;
    if (!tightest)
        return {"cpu-quota", Severity::good,
                fmt::format("No quota in the CPU groups we are in ({}).", groups.size()),
                "Nothing stops a load or a soaker but the scheduler."};
    const bool v1 = facts.platform.cpu_hierarchy == 1;
    const bool ample = *tightest->quota_cpus >= static_cast<double>(facts.cpus.size());
    return {
        "cpu-quota", ample ? Severity::note : Severity::warning,
        fmt::format("{} may use {:.2f} CPUs.", tightest->folder, *tightest->quota_cpus),
        "A load that wants more is stopped until the next period, and what it does not use then "
        "looks free. Phases in which the quota stops the soakers too are thrown away. In a "
        "container: start it without a CPU limit.",
        v1 ? fmt::format("echo -1 | sudo tee {}/cpu.cfs_quota_us", tightest->folder)
           : fmt::format("echo max | sudo tee {}/cpu.max", tightest->folder)};
}

Finding cpu_weight(const Facts& facts) {
    const auto& groups = facts.platform.groups;
    const auto idle = std::find_if(groups.begin(), groups.end(), [](auto& g) { return g.idle; });
    if (idle != groups.end())
        return {"cpu-weight", Severity::bad, idle->folder + " is an idle group.",
                "A load that is started here comes as late as the soakers do: they take up to half "
                "of its CPU.",
                fmt::format("echo 0 | sudo tee {}/cpu.idle", idle->folder)};
    const auto light = std::find_if(groups.begin(), groups.end(),
                                    [](auto& g) { return g.weight_ratio.value_or(1) < 1; });
    if (light == groups.end())
        return {"cpu-weight", Severity::good,
                fmt::format("The usual weight or more in the CPU groups we are in ({}).",
                            groups.size()),
                "A load that is started here gets its share of a CPU that others want too."};
    const bool v1 = facts.platform.cpu_hierarchy == 1;
    return {
        "cpu-weight", Severity::note,
        fmt::format("{} has {:.2f} times the usual weight.", light->folder, *light->weight_ratio),
        "Where others want the CPU too, a load that is started here waits for longer than it "
        "would elsewhere.",
        fmt::format("echo {} | sudo tee {}/cpu.{}", v1 ? 1024 : 100, light->folder,
                    v1 ? "shares" : "weight")};
}

Finding autogroup(const Facts& facts) {
    const auto on = facts.platform.autogroup;
    const bool missed = facts.yielding == soak::Yield::none;
    if (on.value_or(false))
        return {"autogroup", missed ? Severity::note : Severity::good,
                "Autogroups are on: CPUs are shared between sessions.",
                missed ? "They count only for processes at the top of the CPU groups, where the "
                         "soakers are not."
                       : "Soakers without a group of their own weaken their session's."};
    return {"autogroup", missed ? Severity::warning : Severity::good,
            on ? "Autogroups are off." : "This kernel has no autogroups.",
            missed ? "The soakers have nothing else to yield by."
                   : "The soakers do not need them here.",
            missed && on ? "echo 1 | sudo tee /proc/sys/kernel/sched_autogroup_enabled" : ""};
}

/// Known trouble is a note where a measurement shows that it is not felt.
Severity unless_measured_good(const Facts& facts) {
    const bool good = judge_wake_up(facts.observed) == Severity::good;
    return good ? Severity::note : Severity::warning;
}

std::string measured_wake_up(const Facts& facts) {
    const auto& soaked = facts.observed.soaked_wake_up;
    return soaked ? " Measured here: " + say(*soaked) + "." : "";
}

Finding kernel(const Facts& facts) {
    if (!facts.platform.kernel)
        return {"kernel", Severity::note, "The kernel's release cannot be told.",
                "Wake-up trouble that some releases have is not looked for."};
    const auto release = *facts.platform.kernel;
    const auto what = fmt::format("The kernel is {}.", setting(facts, "kernel"));
    if (release < first_with_idle_groups)
        return {"kernel", Severity::note, what,
                "It has no idle CPU groups (5.15 and later have): autogroups are the best that the "
                "soakers can yield by."};
    if (release >= first_eevdf && release <= last_late_eevdf)
        return {"kernel", unless_measured_good(facts), what,
                "Kernels 6.6 to 6.14 can let a soaker finish its slice of some ms before a thread "
                "that wakes up gets the CPU; some distributions have repaired theirs." +
                    measured_wake_up(facts),
                "echo NO_RUN_TO_PARITY | sudo tee /sys/kernel/debug/sched/features"};
    return {"kernel", Severity::good, what,
            "No trouble with wake-ups on soaked CPUs is known of this release."};
}

/// "lazy", "full", "voluntary", "none", "rt"; "dynamic": one of these; empty: no word of it.
std::string preemption_mode(const Facts& facts) {
    const auto mode = setting(facts, "preemption");
    const auto boot = setting(facts, "boot.preempt");
    if (mode == "PREEMPT_DYNAMIC") return boot.empty() ? "dynamic" : boot;
    if (mode == "PREEMPT_RT") return "rt";
    if (mode == "PREEMPT_LAZY") return "lazy";
    return mode == "PREEMPT" ? "full" : mode;
}

Finding preemption(const Facts& facts) {
    const auto mode = preemption_mode(facts);
    const auto hz = setting(facts, "kernel_hz");
    if (mode == "lazy")
        return {
            "preemption", unless_measured_good(facts), "The preemption mode is lazy.",
            fmt::format("A thread that wakes up on a soaked CPU can wait until the next tick{}.",
                        hz.empty() ? "" : " (HZ is " + hz + ")") +
                measured_wake_up(facts),
            "echo full | sudo tee /sys/kernel/debug/sched/preempt"};
    if (mode == "dynamic" && facts.platform.kernel.value_or(first_lazy) >= first_lazy) {
        const bool good = judge_wake_up(facts.observed) == Severity::good;
        return {
            "preemption", good ? Severity::good : Severity::note,
            "The preemption mode is chosen when the kernel starts, and is not to be seen from "
            "here.",
            "In lazy mode a thread that wakes up on a soaked CPU can wait until the next tick." +
                measured_wake_up(facts),
            good ? "" : "sudo cat /sys/kernel/debug/sched/preempt"};
    }
    return {"preemption", Severity::good,
            mode.empty() || mode == "dynamic" ? "Preemption is not lazy."
                                              : "The preemption mode is " + mode + ".",
            "Soakers run in user space, where a thread that wakes up can interrupt them at once."};
}

} // namespace

base::Findings diagnose_scheduling(const Facts& facts) {
    return {yielding(facts),   taken(facts),     wake_up(facts), cpu_quota(facts),
            cpu_weight(facts), autogroup(facts), kernel(facts),  preemption(facts)};
}

} // namespace commands
