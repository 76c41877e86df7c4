#pragma once

#include "base/files.h"
#include "base/time.h"

#include <optional>
#include <string>
#include <vector>

namespace probes {

using base::Nanoseconds;

/// One way for a CPU to idle.
struct IdleState {
    std::string name;           ///< "POLL", "C1E"
    Nanoseconds exit_latency{}; ///< what waking up from it takes, by the driver's table
    bool enabled = true;
};

/// How the CPUs idle. Empty in every field where the kernel has no cpuidle driver: then the
/// architecture's default (halting) is all there is.
struct IdleStates {
    std::optional<std::string> driver;   ///< "intel_idle", "haltpoll"
    std::optional<std::string> governor; ///< "menu"
    std::vector<IdleState> states;       ///< of the first CPU that has any, shallow ones first
    /// How long a guest looks for work before it halts (haltpoll); 0: not at all.
    std::optional<Nanoseconds> guest_poll;

    /// The deepest one in use; nullopt: none is known.
    std::optional<IdleState> deepest() const;
};

/// From /sys/devices/system/cpu.
IdleStates read_idle_states(const base::Root& root);

} // namespace probes
