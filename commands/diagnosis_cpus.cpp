#include "commands/diagnosis_topics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace commands {
namespace {

using base::Finding;
using base::format_cpu_list;
using base::Severity;
using std::chrono::microseconds;

/// Nobody builds more than this for one hardware thread, by level.
const std::map<int, size_t> largest_cache_bytes{{1, 256 << 10}, {2, 8 << 20}, {3, 64 << 20}};

/// Sorted lists.
base::CpuList without(const base::CpuList& cpus, const base::CpuList& removed) {
    base::CpuList rest;
    std::set_difference(cpus.begin(), cpus.end(), removed.begin(), removed.end(),
                        std::back_inserter(rest));
    return rest;
}

Finding cpus(const Facts& facts) {
    const auto unseen = without(without(facts.platform.online, facts.reserved), facts.cpus);
    if (unseen.empty())
        return {"cpus", Severity::good,
                fmt::format("This process may use CPUs {}: all {}.", format_cpu_list(facts.cpus),
                            facts.reserved.empty() ? "that are online" : "that are not reserved"),
                "Nothing that a load does there goes unseen."};
    return {"cpus", Severity::note,
            fmt::format("This process may use CPUs {}, not {}.", format_cpu_list(facts.cpus),
                        format_cpu_list(unseen)),
            "What happens on the others, softirqs for example, is not on the bill. A cpuset, a "
            "container or taskset keeps us from them.",
            fmt::format("taskset -c {} cyclesoak doctor", format_cpu_list(facts.platform.online))};
}

Finding isolated_cpus(const Facts& facts) {
    if (facts.reserved.empty())
        return {"isolated-cpus", Severity::good, "No CPU is isolated or nohz_full.",
                "All CPUs are measured without being named."};
    const auto reserved = format_cpu_list(facts.reserved);
    return {"isolated-cpus", Severity::note,
            fmt::format("CPUs {} are isolated or nohz_full.", reserved),
            "They are kept clear for somebody, and soaked only if you name them; a load that runs "
            "there is not seen.",
            fmt::format("cyclesoak run --cpus {} -- BENCHMARK", reserved)};
}

Finding smt(const Facts& facts) {
    const auto shared = std::count_if(facts.places.begin(), facts.places.end(),
                                      [](const auto& place) { return place.siblings.size() > 1; });
    if (shared > 0)
        return {
            "smt", Severity::note,
            fmt::format("{} of {} CPUs share their core with another hardware thread.", shared,
                        facts.places.size()),
            "A soaker beside a load slows it down, and claims a core of which it could have had "
            "a part; the core share tells. Free phases are not touched by it.",
            "echo off | sudo tee /sys/devices/system/cpu/smt/control"};
    if (facts.platform.virtual_machine.guest)
        return {
            "smt", Severity::note, "The hypervisor shows no hardware threads.",
            "A CPU's sibling may all the same be somebody else's: core and cache then move with "
            "a neighbour that no account shows. Compare runs of the same minutes."};
    return {"smt", Severity::good, "Each core has one hardware thread.",
            "A soaker shares its core with nobody."};
}

Finding hybrid(const Facts& facts) {
    const auto& kinds = facts.platform.core_kinds;
    if (kinds.empty())
        return {"hybrid", Severity::good, "All cores are alike, as far as anything tells.",
                "A CPU second is the same wherever a load runs."};
    std::vector<std::string> texts;
    for (const auto& kind : kinds)
        texts.push_back(fmt::format("{}: CPUs {}", kind.name, format_cpu_list(kind.cpus)));
    return {"hybrid", Severity::warning,
            fmt::format("There are {} kinds of cores ({}).", kinds.size(), fmt::join(texts, "; ")),
            "Each CPU is calibrated on its own, but a second of one kind is worth more than of the "
            "other: demand depends on where the scheduler puts the load. Keep it on one kind.",
            fmt::format("cyclesoak run -- taskset -c {} BENCHMARK",
                        format_cpu_list(kinds.front().cpus))};
}

std::string say_bytes(size_t bytes) {
    return bytes < (1 << 20) ? fmt::format("{} KiB", bytes >> 10)
                             : fmt::format("{} MiB", bytes >> 20);
}

std::string say_caches(const soak::CpuPlace& place) {
    std::vector<std::string> texts;
    for (const auto& [level, bytes] : place.cache_share_bytes)
        texts.push_back(fmt::format("L{} {}", level, say_bytes(bytes)));
    return fmt::format("{}", fmt::join(texts, ", "));
}

bool has_absurd_cache(const soak::CpuPlace& place) {
    return std::any_of(
        place.cache_share_bytes.begin(), place.cache_share_bytes.end(), [](const auto& cache) {
            const auto largest = largest_cache_bytes.find(cache.first);
            return largest != largest_cache_bytes.end() && cache.second > largest->second;
        });
}

Finding caches(const Facts& facts) {
    const auto& places = facts.places;
    const auto absurd = std::find_if(places.begin(), places.end(), has_absurd_cache);
    if (absurd != places.end())
        return {
            "caches", Severity::warning,
            fmt::format("CPU {} claims to have for itself: {}.", absurd->cpu, say_caches(*absurd)),
            "Nobody has that; a hypervisor made it up. A working set by its level would be "
            "wrong: give it in bytes.",
            "cyclesoak run --working-set 512K -- BENCHMARK"};
    if (!facts.working_set_notes.empty())
        return {
            "caches", Severity::note,
            fmt::format("The working set is not what was asked for: {}.",
                        facts.working_set_notes.front()),
            "How much a cache miss hurts the soakers is a guess; give the working set in bytes.",
            "cyclesoak run --working-set 512K -- BENCHMARK"};
    if (places.empty() || places.front().cache_share_bytes.empty())
        return {"caches", Severity::note, "The sizes of the caches are not known.",
                "The working set is a guess; give it in bytes.",
                "cyclesoak run --working-set 512K -- BENCHMARK"};
    return {"caches", Severity::good,
            fmt::format("A hardware thread's share of the caches: {}.", say_caches(places.front())),
            "The soakers' working set follows from it."};
}

/// What makes a CPU look for work instead of sleeping; empty: nothing.
std::string polling(const Facts& facts) {
    const auto boot = setting(facts, "boot.idle");
    if (boot == "poll") return "idle=poll on the kernel's command line";
    const auto& idle = facts.platform.idle;
    if (idle.guest_poll.value_or(base::Nanoseconds(0)) > base::Nanoseconds(0))
        return "haltpoll, for up to " + say_microseconds(*idle.guest_poll);
    const auto deepest = idle.deepest();
    return deepest && deepest->name == "POLL" ? "its only idle state is POLL" : "";
}

/// Limits of depth on the kernel's command line.
std::string said_at_boot(const Facts& facts) {
    std::string text;
    for (const auto* flag : {"processor.max_cstate", "intel_idle.max_cstate"})
        if (const auto value = setting(facts, fmt::format("boot.{}", flag)); !value.empty())
            text += fmt::format(" By {}={} on the kernel's command line.", flag, value);
    return text;
}

Finding idle_states(const Facts& facts) {
    if (const auto how = polling(facts); !how.empty())
        return {
            "idle-states", Severity::note, fmt::format("An idle CPU polls: {}.", how),
            "Waking it takes no interrupt until a soaker is there instead: soaking then slows a "
            "load that sleeps and wakes. The report's perturbation says by how much."};
    const auto& idle = facts.platform.idle;
    const auto deepest = idle.deepest();
    // What a guest's haltpoll driver says of its latency is made up.
    if (!deepest || idle.driver == "haltpoll")
        return {
            "idle-states", Severity::note, "An idle CPU halts; nothing tells what waking it takes.",
            facts.platform.virtual_machine.guest
                ? "In a guest the hypervisor wakes it up, which can be slow. Soaked CPUs do not "
                  "halt: a load can run faster or slower while it is soaked."
                : "Soaked CPUs do not halt: a load can run faster while it is soaked."};
    const auto what = fmt::format("The deepest idle state is {} of {}, {} to wake up.{}",
                                  deepest->name, idle.driver.value_or("no driver"),
                                  say_microseconds(deepest->exit_latency), said_at_boot(facts));
    if (deepest->exit_latency <= microseconds(10))
        return {"idle-states", Severity::good, what,
                "That soaked CPUs never go there changes little by itself."};
    return {"idle-states", Severity::note, what,
            "Soaked CPUs never go there: a load that sleeps and wakes can run faster while it is "
            "soaked. To compare without it:",
            "sudo cpupower idle-set -D 10"};
}

Finding frequency(const Facts& facts) {
    const auto governor = setting(facts, "governor");
    if (governor.empty())
        return {"frequency", Severity::note, "The clock frequency is not ours to set.",
                "A hypervisor or the firmware chooses it. What that does stands under core."};
    const bool boost = setting(facts, "boost") == "1";
    const auto what =
        fmt::format("The frequency governor is {}{}.", governor, boost ? ", and boost is on" : "");
    if (governor == "performance")
        return {"frequency", boost ? Severity::note : Severity::good, what,
                boost ? "The clock still depends on heat and on how many cores are busy: soaked "
                        "phases, all cores busy, run slower than free ones."
                      : "Soaked and free phases run at the same clock.",
                boost ? "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost" : ""};
    return {"frequency", Severity::warning, what,
            "Soaking keeps the clock high; in free phases it sinks, and the same work takes more "
            "CPU time there.",
            "sudo cpupower frequency-set -g performance"};
}

} // namespace

base::Findings diagnose_cpus(const Facts& facts) {
    return {cpus(facts),   isolated_cpus(facts), smt(facts),      hybrid(facts),
            caches(facts), idle_states(facts),   frequency(facts)};
}

} // namespace commands
