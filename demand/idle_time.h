#pragma once

#include "base/warning.h"
#include "demand/phase.h"

#include <optional>
#include <vector>

namespace demand {

/// Takes the kernel's idle time out of all phases, and says so, where its own scheduler contradicts
/// it: over the free phases of a CPU, a second at least, threads ran for over 2 % of the time longer
/// than the CPU was not idle. So it is where idle time is sampled at ticks, or made up by a container's
/// /proc. (Longer busy than its threads ran is no contradiction: interrupts.)
std::optional<base::Warning> drop_contradicted_idle_time(std::vector<Phase>& phases);

} // namespace demand
