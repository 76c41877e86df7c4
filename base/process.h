#pragma once

#include <cerrno>
#include <csignal>
#include <sys/types.h>

namespace base {

/// Is there a process `pid`, whoever's it is?
inline bool is_alive(pid_t pid) { return kill(pid, 0) == 0 || errno == EPERM; }

} // namespace base
