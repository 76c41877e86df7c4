#include "probes/settings.h"

#include "base/cgroups.h"
#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace probes {
namespace {

struct OneLineFile {
    const char* name;
    const char* file;
};

constexpr OneLineFile one_line_files[] = {
    {"kernel", "proc/sys/kernel/osrelease"},
    {"kernel_version", "proc/sys/kernel/version"},
    {"smt", "sys/devices/system/cpu/smt/control"},
    {"boost", "sys/devices/system/cpu/cpufreq/boost"},
    {"clock_source", "sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"net.core.busy_read", "proc/sys/net/core/busy_read"},
    {"net.core.busy_poll", "proc/sys/net/core/busy_poll"},
    {"net.core.rmem_max", "proc/sys/net/core/rmem_max"},
    {"net.core.wmem_max", "proc/sys/net/core/wmem_max"},
    {"net.ipv4.tcp_congestion_control", "proc/sys/net/ipv4/tcp_congestion_control"},
    {"net.ipv4.tcp_rmem", "proc/sys/net/ipv4/tcp_rmem"},
    {"net.ipv4.tcp_wmem", "proc/sys/net/ipv4/tcp_wmem"},
};

/// Flags of the kernel's command line that change timing.
constexpr std::string_view boot_flags[] = {"nohz",
                                           "nohz_full",
                                           "isolcpus",
                                           "rcu_nocbs",
                                           "mitigations",
                                           "preempt",
                                           "idle",
                                           "threadirqs",
                                           "clocksource",
                                           "tsc",
                                           "processor.max_cstate",
                                           "intel_idle.max_cstate"};

/// One space between words: some sysctls separate by tabs.
std::string tidy(std::string_view text) {
    return fmt::format("{}", fmt::join(base::split(base::trim(text), " \t\n"), " "));
}

void add(Settings& settings, const std::string& name, const std::optional<std::string>& value) {
    if (value && !value->empty()) settings[name] = *value;
}

/// The distinct governors of all CPUs.
std::string read_governors(const base::Root& root) {
    std::set<std::string> governors;
    const std::string folder = "sys/devices/system/cpu/cpufreq";
    for (const auto& policy : root.list(folder))
        if (const auto name = root.read_line(fmt::format("{}/{}/scaling_governor", folder, policy)))
            governors.insert(*name);
    return fmt::format("{}", fmt::join(governors, ","));
}

std::optional<std::string> read_hz(const base::Root& root, const std::string& kernel) {
    constexpr std::string_view key = "CONFIG_HZ=";
    const auto config = root.read("boot/config-" + kernel).value_or("");
    for (const auto line : base::lines(config))
        if (line.starts_with(key)) return std::string(line.substr(key.size()));
    return std::nullopt;
}

std::optional<std::string> read_preemption(const base::Root& root, const std::string& version) {
    const auto mode = parse_preempt(root.read("sys/kernel/debug/sched/preempt").value_or(""));
    return mode ? mode : parse_preempt_flag(version);
}

} // namespace

Settings read_settings(const base::Root& root) {
    auto settings = parse_cpuinfo(root.read("proc/cpuinfo").value_or(""));
    settings.merge(parse_command_line(root.read("proc/cmdline").value_or("")));
    for (const auto& [name, file] : one_line_files)
        if (const auto line = root.read_line(file)) add(settings, name, tidy(*line));
    add(settings, "governor", read_governors(root));
    if (const auto mount = base::find_cpu_groups(root))
        add(settings, "cgroup", base::read_group(root, 0, *mount, "cpu"));
    if (settings.contains("kernel")) add(settings, "kernel_hz", read_hz(root, settings["kernel"]));
    if (settings.contains("kernel_version"))
        add(settings, "preemption", read_preemption(root, settings["kernel_version"]));
    return settings;
}

Settings parse_cpuinfo(std::string_view cpuinfo) {
    Settings values;
    for (const auto line : base::lines(cpuinfo)) {
        const auto colon = line.find(':');
        if (colon == line.npos) break; // the blank line behind the first CPU
        values.emplace(base::trim(line.substr(0, colon)), tidy(line.substr(colon + 1)));
    }
    Settings settings;
    add(settings, "cpu_model", values["model name"]);
    add(settings, "microcode", values["microcode"]);
    if (values["model name"].empty() && !values["CPU part"].empty())
        settings["cpu_model"] = fmt::format("{} {}", values["CPU implementer"], values["CPU part"]);
    const auto flags = base::split(values["flags"]);
    if (std::find(flags.begin(), flags.end(), "hypervisor") != flags.end())
        settings["hypervisor"] = "yes";
    return settings;
}

Settings parse_command_line(std::string_view command_line) {
    Settings settings;
    for (const auto word : base::split(base::trim(command_line))) {
        const auto equals = std::min(word.find('='), word.size());
        const auto name = word.substr(0, equals);
        if (std::find(std::begin(boot_flags), std::end(boot_flags), name) == std::end(boot_flags))
            continue;
        settings[fmt::format("boot.{}", name)] =
            equals == word.size() ? "yes" : std::string(word.substr(equals + 1));
    }
    return settings;
}

std::optional<std::string> parse_preempt(std::string_view text) {
    const auto open = text.find('('), close = text.find(')');
    if (open == text.npos || close == text.npos || close < open) return std::nullopt;
    return std::string(text.substr(open + 1, close - open - 1));
}

std::optional<std::string> parse_preempt_flag(std::string_view version) {
    for (const auto word : base::split(version))
        if (word.starts_with("PREEMPT")) return std::string(word);
    return std::nullopt;
}

} // namespace probes
