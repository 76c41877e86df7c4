#pragma once

#include "base/time.h"
#include "probes/counters.h"
#include "soak/window.h"

#include <optional>
#include <vector>

namespace demand {

using base::Nanoseconds;

enum class PhaseKind { soaked, free };

/// Is the load running?
enum class Stage { baseline_before, load, baseline_after };

/// One phase as it was measured, its cut-off beginning left out.
struct Phase {
    PhaseKind kind = PhaseKind::free;
    Stage stage = Stage::load;
    int pair = 0;        ///< phases of one pair are adjacent and of different kinds
    Nanoseconds start{}; ///< since the measurement began
    Nanoseconds elapsed{};
    std::vector<soak::CpuWindow> soaked; ///< one a CPU, in soaked phases
    probes::Counters counters;           ///< between the phase's edges
    /// The same of its first quarter, to see what is carried over from the phase before.
    std::optional<probes::Counters> first_quarter;
};

} // namespace demand
