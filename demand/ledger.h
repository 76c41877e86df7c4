#pragma once

#include "demand/baseline.h"
#include "demand/report.h"

#include <vector>

namespace demand {

/// One kind of phase: its baselines, and how they blur what the load cost.
struct Ledger {
    Baseline net, tasks;
    bool tasks_are_known = true; ///< else all that is busy stands for them
    BaselineReport report;
};

Ledger make_ledger(const std::vector<Phase>& phases, PhaseKind kind);

/// The bill for the load's threads, as `ledger` knows them.
std::optional<Bill> make_task_bill(const Phase& phase, const Ledger& ledger);

/// Phases of one kind, either those with the load or those without.
std::vector<const Phase*> select(const std::vector<Phase>& phases, PhaseKind kind, bool load);

} // namespace demand
