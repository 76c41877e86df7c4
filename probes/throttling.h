#pragma once

#include "base/files.h"

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace probes {

/// How often a CPU quota has stopped a process's group or one above it; a quota looks like theft to
/// a soaker. The groups are found once.
class Throttling {
  public:
    Throttling(const base::Root& root, pid_t pid);

    /// nr_throttled of cpu.stat, summed along the process's path in the cpu hierarchy; 0 where no
    /// group has a quota or there is no such hierarchy.
    uint64_t read() const;

  private:
    base::Root root_;
    std::vector<std::string> files_;
};

} // namespace probes
