#include "probes/platform.h"

#include "base/cgroups.h"
#include "base/text.h"
#include "probes/cpu_times.h"
#include "probes/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

namespace probes {
namespace {

const std::string cpu_folder = "sys/devices/system/cpu";

std::vector<std::string> read_clock_sources(const base::Root& root) {
    const auto line =
        root.read_line("sys/devices/system/clocksource/clocksource0/available_clocksource")
            .value_or("");
    const auto words = base::split(line);
    return {words.begin(), words.end()};
}

std::optional<bool> read_autogroup(const base::Root& root) {
    const auto line = root.read_line("proc/sys/kernel/sched_autogroup_enabled");
    return line ? std::optional(*line == "1") : std::nullopt;
}

base::CpuList read_cpu_list(const base::Root& root, const std::string& file) {
    return base::parse_cpu_list(base::trim(root.read_line(file).value_or("")));
}

/// x86 with two kinds of cores names them.
std::vector<CoreKind> read_named_kinds(const base::Root& root) {
    std::vector<CoreKind> kinds;
    for (const auto* name : {"cpu_core", "cpu_atom", "cpu_lowpower"})
        if (auto cpus = read_cpu_list(root, fmt::format("sys/devices/{}/cpus", name));
            !cpus.empty())
            kinds.push_back({name, std::move(cpus)});
    if (kinds.size() < 2) kinds.clear();
    return kinds;
}

std::map<int, int64_t> read_figures(const base::Root& root, const base::CpuList& cpus,
                                    const std::string& file, int64_t unit) {
    std::map<int, int64_t> figures;
    for (const int cpu : cpus) {
        const auto line = root.read_line(fmt::format("{}/cpu{}/{}", cpu_folder, cpu, file));
        if (const auto figure = base::parse_integer(base::trim(line.value_or(""))))
            figures[cpu] = *figure / unit;
    }
    return figures;
}

std::vector<CoreKind> read_core_kinds(const base::Root& root, const base::CpuList& cpus) {
    auto kinds = read_named_kinds(root);
    if (kinds.empty())
        kinds = make_core_kinds(read_figures(root, cpus, "cpu_capacity", 1), "capacity ", "");
    if (kinds.empty())
        kinds =
            make_core_kinds(read_figures(root, cpus, "cpufreq/cpuinfo_max_freq", 1000), "", " MHz");
    return kinds;
}

std::optional<double> read_steal_ratio(const base::Root& root) {
    const auto text = root.read("proc/stat");
    if (!text) return std::nullopt;
    Nanoseconds steal{}, all{};
    for (const auto& [cpu, times] : parse_stat(*text, sysconf(_SC_CLK_TCK))) {
        steal += times.steal;
        all += times.idle + times.busy;
    }
    if (all.count() == 0) return std::nullopt;
    return base::to_seconds(steal) / base::to_seconds(all);
}

/// A mouse's battery (scope "Device") is not ours.
std::optional<bool> read_on_battery(const base::Root& root) {
    std::optional<bool> on_battery;
    const std::string folder = "sys/class/power_supply";
    for (const auto& name : root.list(folder)) {
        const auto read = [&](const char* file) {
            return root.read_line(fmt::format("{}/{}/{}", folder, name, file));
        };
        if (read("type") != "Battery" || read("scope") == "Device") continue;
        on_battery = on_battery.value_or(false) || read("status") == "Discharging";
    }
    return on_battery;
}

} // namespace

Platform read_platform(const base::Root& root, pid_t pid) {
    Platform platform;
    platform.kernel =
        parse_kernel_release(root.read_line("proc/sys/kernel/osrelease").value_or(""));
    platform.clock_sources = read_clock_sources(root);
    platform.tick_stops = parse_tick_stops(root.read("proc/timer_list").value_or(""));
    platform.autogroup = read_autogroup(root);
    platform.groups = read_cpu_groups(root, pid);
    if (const auto mount = base::find_cgroup_mount(root, "cpu"))
        platform.cpu_hierarchy = mount->version;
    platform.online = read_cpu_list(root, cpu_folder + "/online");
    platform.core_kinds = read_core_kinds(root, platform.online);
    platform.idle = read_idle_states(root);
    const auto cpuinfo = parse_cpuinfo(root.read("proc/cpuinfo").value_or(""));
    platform.virtual_machine = read_virtual_machine(root, cpuinfo.contains("hypervisor"));
    platform.steal_ratio = read_steal_ratio(root);
    platform.lxcfs = parse_lxcfs(root.read("proc/self/mountinfo").value_or(""));
    platform.on_battery = read_on_battery(root);
    return platform;
}

std::optional<KernelRelease> parse_kernel_release(std::string_view release) {
    const auto numbers = base::split(release, ".-+~");
    if (numbers.size() < 2) return std::nullopt;
    const auto major = base::parse_integer(numbers[0]), minor = base::parse_integer(numbers[1]);
    if (!major || !minor) return std::nullopt;
    return KernelRelease{static_cast<int>(*major), static_cast<int>(*minor)};
}

/// The line is ".nohz : 1"; kernels before 6.9 wrote ".nohz_mode : 2".
std::optional<bool> parse_tick_stops(std::string_view timer_list) {
    std::optional<bool> stops;
    for (const auto line : base::lines(timer_list)) {
        const auto words = base::split(line, " \t:");
        if (words.size() != 2 || (words[0] != ".nohz" && words[0] != ".nohz_mode")) continue;
        stops = stops.value_or(false) || words[1] != "0";
    }
    return stops;
}

/// A line is "id parent device top point options [tags] - type source super-options".
bool parse_lxcfs(std::string_view mountinfo) {
    for (const auto line : base::lines(mountinfo)) {
        const auto fields = base::split(line);
        const auto dash = std::find(fields.begin(), fields.end(), "-");
        if (fields.size() < 5 || fields.end() - dash < 2) continue;
        if (fields[4] == "/proc/stat" && dash[1] == "fuse.lxcfs") return true;
    }
    return false;
}

std::vector<CoreKind> make_core_kinds(const std::map<int, int64_t>& figures,
                                      std::string_view prefix, std::string_view suffix) {
    std::map<int64_t, base::CpuList, std::greater<>> by_figure;
    for (const auto& [cpu, figure] : figures)
        by_figure[figure].push_back(cpu);
    std::vector<CoreKind> kinds;
    if (by_figure.empty() || 5 * by_figure.rbegin()->first > 4 * by_figure.begin()->first)
        return kinds;
    for (const auto& [figure, cpus] : by_figure)
        kinds.push_back({fmt::format("{}{}{}", prefix, figure, suffix), cpus});
    return kinds;
}

} // namespace probes
