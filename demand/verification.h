#pragma once

#include "base/warning.h"
#include "demand/phase.h"

#include <optional>
#include <string>
#include <vector>

namespace demand {

/// A phase, and what the load truly used in it by its own CPU clock.
struct KnownPhase {
    Phase phase; ///< of one CPU
    Nanoseconds truth{};
    Nanoseconds soaker{}; ///< what the CPU's soaker used, by the scheduler's clock
};

/// What was read at a moment without soaking.
struct FreeReading {
    Nanoseconds time{};
    Nanoseconds truth{}; ///< the load's CPU time
    Nanoseconds idle{};  ///< the kernel's, in steps of 10 ms
};

/// A free phase of `cpu` by the slopes of idle time and of the truth over many readings (least
/// squares), which steps hardly move: two readings at its ends would be a step off.
/// Nothing with fewer than two.
std::optional<KnownPhase> make_free_phase(int cpu, const std::vector<FreeReading>& readings);

/// A load of known cost that was put on one CPU. The load named `idle` is none: it is the baseline
/// of all others.
struct KnownLoad {
    std::string name;
    std::vector<KnownPhase> phases;
    bool evicts = false;      ///< it walks memory, which costs what no clock knows
    bool wakes_often = false; ///< so often that what waking it costs shows
};

/// What was made of a load: ratios of the CPU, net of the baseline per exposure as a demand is;
/// medians over the phases, of the load and of the baseline alike. Absent: was not measured.
struct LoadCheck {
    std::string name;
    bool evicts = false, wakes_often = false;
    /// In this share of the soaked time a stranger was on the core, a neighbour of this virtual
    /// machine: the soaker's share of the core was over 2 % below its best beside this load, of
    /// which the load itself takes nothing. That time is left out.
    double disturbed_ratio = 0;
    std::optional<double> true_ratio; ///< by the load's own CPU clock, in soaked phases
    std::optional<double> tasks_ratio, stolen_ratio;
    std::optional<double> baseline_ratio; ///< stolen without the load, in the same exposure
    std::optional<double> interrupts_ratio, hypervisor_ratio, core_ratio, cache_ratio,
        unexplained_ratio;
    std::optional<double> idle_time_true_ratio; ///< by the load's own CPU clock, in free phases
    std::optional<double> idle_time_ratio;
};

/// How late a sleeper wakes after the time it asked for.
struct WakeUp {
    Nanoseconds p50{}, p99{};
};

/// How far a figure was from the truth, and how far it may be.
struct Accuracy {
    std::string figure; ///< "tasks", "stolen", "idle time", "unexplained", "core", "cache", "taken"
    std::string load;   ///< where it was furthest from it
    double error = 0;   ///< there; reported - true, of a CPU
    double limit = 0;

    bool kept() const;
};

struct Verification {
    int cpu = 0;
    std::vector<LoadCheck> loads;
    std::optional<double> taken_ratio; ///< taken from a 100 % busy thread of another session
    std::optional<WakeUp> soaked_wake_up, free_wake_up;
    std::vector<Accuracy> accuracies; ///< one a figure
    bool complete = true;             ///< was not interrupted
    std::string yielding;
    base::Warnings warnings;

    bool trustworthy() const;
};

/// What the instrument made of the loads, in their order.
std::vector<LoadCheck> check_loads(const std::vector<KnownLoad>& loads);

/// The worst error of each figure. Allowed, in points of a CPU: tasks 0.3 and unexplained 0.5; stolen
/// 2 and idle time 0.7 of loads that seldom wake; core and cache 1.5 of loads that evict nothing;
/// taken 0.3 with a method that puts the soakers below all groups, 1.5 with autogroups, and anything
/// with none.
std::vector<Accuracy> judge(const Verification& verification);

} // namespace demand
