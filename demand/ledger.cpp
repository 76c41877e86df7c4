#include "demand/ledger.h"

#include <algorithm>

namespace demand {
namespace {

std::optional<Bill> task_bill(const Phase& phase, bool tasks_are_known) {
    return tasks_are_known ? make_task_bill(phase) : make_bill(phase);
}

} // namespace

std::vector<const Phase*> select(const std::vector<Phase>& phases, PhaseKind kind, bool load) {
    std::vector<const Phase*> result;
    for (const Phase& phase : phases)
        if (phase.kind == kind && (phase.stage == Stage::load) == load) result.push_back(&phase);
    return result;
}

std::optional<Bill> make_task_bill(const Phase& phase, const Ledger& ledger) {
    return task_bill(phase, ledger.tasks_are_known);
}

Ledger make_ledger(const std::vector<Phase>& phases, PhaseKind kind) {
    const auto with = select(phases, kind, true), without = select(phases, kind, false);
    const bool tasks_are_known = std::all_of(phases.begin(), phases.end(), [&](const Phase& phase) {
        return phase.kind != kind || make_task_bill(phase).has_value();
    });

    BaselineReport report{.kind = kind,
                          .phases = 0,
                          .elapsed = {},
                          .net_error_seconds = {},
                          .task_error_seconds = {}};
    std::vector<Bill> net, tasks;
    for (const Phase* phase : without) {
        auto bill = make_bill(*phase);
        if (!bill) continue;
        net.push_back(std::move(*bill));
        tasks.push_back(task_bill(*phase, tasks_are_known).value_or(Bill{}));
        report.elapsed += phase->elapsed;
    }

    Bill net_load, task_load;
    for (const Phase* phase : with) {
        net_load = std::move(net_load) + make_bill(*phase).value_or(Bill{});
        task_load = std::move(task_load) + task_bill(*phase, tasks_are_known).value_or(Bill{});
    }
    Ledger ledger{Baseline(std::move(net)), Baseline(std::move(tasks)), tasks_are_known, report};
    ledger.report.phases = ledger.net.phases();
    ledger.report.net_error_seconds = ledger.net.error(net_load);
    ledger.report.task_error_seconds = ledger.tasks.error(task_load);
    return ledger;
}

} // namespace demand
