#pragma once

#include "base/files.h"
#include "base/time.h"

#include <functional>
#include <string>
#include <sys/types.h>

struct sd_bus;

namespace soak {

/// Connects to the machine's service manager, as sd_bus_open_system() does: a negative errno, or
/// the connection, which is the caller's.
int open_system_bus(sd_bus** bus);

/// The service manager, and how long all that is asked of it may take.
struct Systemd {
    std::function<int(sd_bus**)> open = open_system_bus;
    base::Nanoseconds patience = std::chrono::seconds(2);
};

/// Does systemd own the machine's groups?
bool runs_systemd(const base::Root& root);

/// Asks systemd to put process `pid`, all its threads, into a scope of its own in the top-level slice
/// cyclesoak.slice with CPUWeight=idle, and looks whether that is in force. Nothing is to be removed
/// afterwards: the scope goes with the process, the slice with the last scope in it. False, with
/// the reason in `why`: not cgroup v2, no systemd, one before 252, no permission, no answer.
bool enter_idle_slice(const base::Root& root, pid_t owner, pid_t pid, std::string& why,
                      const Systemd& systemd = {});

} // namespace soak
