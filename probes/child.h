#pragma once

#include "base/descriptor.h"
#include "base/signals.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace probes {

/// A started command. Nobody has waited for it yet.
struct Child {
    pid_t pid = -1;            ///< also its process group
    base::Descriptor ended;    ///< pidfd: readable once it has ended
    base::Descriptor output;   ///< its stdout, non-blocking
    base::Descriptor errors;   ///< its stderr, non-blocking
    bool has_terminal = false; ///< its group was made the terminal's foreground group
};

/// Runs `command` (found in PATH) with our environment, scheduling and stdin, the original signals,
/// in a process group of its own; SIGTERM ends it if the calling thread dies. If stdin is a terminal
/// in whose foreground we are, the child's group gets the foreground, or it would be stopped when it
/// reads; it ignores Ctrl-Z then, since nobody would be there to continue it.
/// Throws std::system_error ("run NAME") if it cannot be run.
Child make_child(const std::vector<std::string>& command, const base::OriginalSignals& original);

/// Takes the terminal back from a child's group.
void take_terminal_back(const Child& child);

} // namespace probes
