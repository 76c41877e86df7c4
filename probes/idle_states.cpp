#include "probes/idle_states.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace probes {
namespace {

const std::string cpus = "sys/devices/system/cpu";

std::optional<int64_t> read_integer(const base::Root& root, const std::string& file) {
    return base::parse_integer(base::trim(root.read_line(file).value_or("")));
}

/// A driver's name; "none" stands for no driver.
std::optional<std::string> read_name(const base::Root& root, const std::string& file) {
    const auto name = root.read_line(cpus + "/cpuidle/" + file);
    return name == "none" || name == "" ? std::nullopt : name;
}

std::optional<IdleState> read_state(const base::Root& root, const std::string& folder) {
    const auto name = root.read_line(folder + "/name");
    if (!name) return std::nullopt;
    const std::chrono::microseconds latency(read_integer(root, folder + "/latency").value_or(0));
    return IdleState{*name, latency, read_integer(root, folder + "/disable").value_or(0) == 0};
}

/// state0, state1, ... of one CPU.
std::vector<IdleState> read_states(const base::Root& root, const std::string& cpu) {
    std::vector<IdleState> states;
    while (auto state =
               read_state(root, fmt::format("{}/{}/cpuidle/state{}", cpus, cpu, states.size())))
        states.push_back(std::move(*state));
    return states;
}

} // namespace

std::optional<IdleState> IdleStates::deepest() const {
    const auto found = std::find_if(states.rbegin(), states.rend(),
                                    [](const auto& state) { return state.enabled; });
    return found == states.rend() ? std::nullopt : std::optional(*found);
}

IdleStates read_idle_states(const base::Root& root) {
    IdleStates idle{.driver = read_name(root, "current_driver"),
                    .governor = read_name(root, "current_governor")};
    if (!idle.governor) idle.governor = read_name(root, "current_governor_ro");
    for (const auto& name : root.list(cpus)) {
        if (!name.starts_with("cpu") || !idle.states.empty()) continue;
        idle.states = read_states(root, name);
    }
    if (const auto poll = read_integer(root, "sys/module/haltpoll/parameters/guest_halt_poll_ns"))
        idle.guest_poll = Nanoseconds(*poll);
    return idle;
}

} // namespace probes
