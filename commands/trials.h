#pragma once

#include "base/loop.h"
#include "base/time.h"
#include "commands/progress.h"
#include "commands/session.h"

#include <optional>

namespace commands {

/// How late a sleeper wakes.
struct WakeUp {
    base::Nanoseconds p50{}, p99{};
};

/// What short experiments with the soakers showed; absent: not tried.
struct Trials {
    std::optional<double> taken_ratio; ///< of a CPU, from a thread that wants all of it
    std::optional<WakeUp> wake_up_soaked, wake_up_free;
    std::optional<double> idle_time_error_ratio; ///< reported minus true, gaps of 20 us
};

} // namespace commands
