#include "demand/baseline.h"

#include <cmath>

namespace demand {
namespace {

Bill soaked_bill(const Phase& phase) {
    Bill bill;
    for (const soak::CpuWindow& window : phase.soaked) {
        const soak::Causes& causes = window.causes;
        const auto add = [&](Part part, Nanoseconds amount, Nanoseconds exposure) {
            bill[{window.cpu, part}] = {base::to_seconds(amount), base::to_seconds(exposure)};
        };
        const Nanoseconds there = window.elapsed - causes.tasks;
        add(Part::tasks, causes.tasks, window.elapsed);
        add(Part::interrupts, causes.interrupts, there);
        if (causes.hypervisor) add(Part::hypervisor, *causes.hypervisor, there);
        add(Part::core, causes.core, there);
        add(Part::cache, causes.cache, there);
        add(Part::unexplained, causes.unexplained, there);
    }
    return bill;
}

/// One entry a CPU; `amount` says how much. Empty if it cannot for one of them.
template <typename Amount>
Bill free_bill(const Phase& phase, Part part, Amount amount) {
    Bill bill;
    for (const probes::CpuCounters& cpu : phase.counters.cpus) {
        const std::optional<Nanoseconds> time = amount(cpu);
        if (!time) return {};
        bill[{cpu.cpu, part}] = {.amount = base::to_seconds(*time),
                                 .exposure = base::to_seconds(phase.elapsed)};
    }
    return bill;
}

std::optional<Bill> unless_empty(const Bill& bill) {
    return bill.empty() ? std::nullopt : std::optional(bill);
}

/// Amount per exposure; nothing is lost where nothing was measured.
double rate(const Bill& sums, const Bill::key_type& key) {
    const auto found = sums.find(key);
    if (found == sums.end() || found->second.exposure <= 0) return 0;
    return found->second.amount / found->second.exposure;
}

} // namespace

std::optional<Bill> make_bill(const Phase& phase) {
    if (phase.kind == PhaseKind::soaked) return unless_empty(soaked_bill(phase));
    return unless_empty(free_bill(phase, Part::busy, [&](const probes::CpuCounters& cpu) {
        return cpu.idle ? std::optional(phase.elapsed - *cpu.idle) : std::nullopt;
    }));
}

std::optional<Bill> make_task_bill(const Phase& phase) {
    if (phase.kind == PhaseKind::free)
        return unless_empty(free_bill(
            phase, Part::tasks, [](const probes::CpuCounters& cpu) { return cpu.task_time; }));
    return unless_empty(only(soaked_bill(phase), Part::tasks));
}

Bill operator+(Bill a, const Bill& b) {
    for (const auto& [key, part] : b) {
        a[key].amount += part.amount;
        a[key].exposure += part.exposure;
    }
    return a;
}

double total(const Bill& bill, std::optional<int> cpu) {
    double sum = 0;
    for (const auto& [key, part] : bill)
        if (!cpu || key.first == *cpu) sum += part.amount;
    return sum;
}

Bill only(Bill bill, Part part) {
    std::erase_if(bill, [&](const auto& entry) { return entry.first.second != part; });
    return bill;
}

Baseline::Baseline(std::vector<Bill> phases) : phases_(std::move(phases)) {
    for (const Bill& phase : phases_)
        sums_ = std::move(sums_) + phase;
}

Bill Baseline::expected(const Bill& load) const {
    Bill result = load;
    for (auto& [key, part] : result)
        part.amount = rate(sums_, key) * part.exposure;
    return result;
}

std::optional<double> Baseline::error(const Bill& load) const {
    if (phases_.size() < 2) return {};
    const auto count = static_cast<double>(phases_.size());
    double squares = 0;
    for (const Bill& phase : phases_) {
        double moved = 0; // by how much this phase moves the expected amount
        for (const auto& [key, part] : phase) {
            const auto exposed = load.find(key);
            if (exposed == load.end() || sums_.at(key).exposure <= 0) continue;
            moved += (part.amount - rate(sums_, key) * part.exposure) * exposed->second.exposure /
                     sums_.at(key).exposure;
        }
        squares += moved * moved;
    }
    return std::sqrt(squares * count / (count - 1));
}

} // namespace demand
