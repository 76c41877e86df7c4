#include "demand/interrupts.h"

namespace demand {
namespace {

std::optional<Nanoseconds> steal_of(const Phase& phase, int cpu) {
    for (const probes::CpuCounters& counters : phase.counters.cpus)
        if (counters.cpu == cpu) return counters.steal;
    return {};
}

struct Sums {
    Nanoseconds stalled{}, stopped{}, steal{};
};

/// Nothing where a CPU's steal is not known.
std::optional<Sums> add_up(const std::vector<Phase>& phases) {
    Sums sums;
    for (const Phase& phase : phases)
        for (const soak::CpuWindow& window : phase.soaked) {
            const auto steal = steal_of(phase, window.cpu);
            if (!steal) return {};
            sums.stalled += window.causes.interrupts;
            sums.stopped += window.clock_stopped;
            sums.steal += *steal;
        }
    return sums;
}

} // namespace

void tell_interrupts_apart(std::vector<Phase>& phases) {
    const auto sums = add_up(phases);
    const bool measured = sums && sums->stopped > Nanoseconds{} &&
                          sums->stopped * 20 >= sums->stalled && sums->steal * 2 <= sums->stopped;
    if (!measured) return;
    for (Phase& phase : phases)
        for (soak::CpuWindow& window : phase.soaked) {
            soak::Causes& causes = window.causes;
            const auto interrupts = window.clock_stopped - *steal_of(phase, window.cpu);
            causes.hypervisor = causes.interrupts - interrupts;
            causes.interrupts = interrupts;
        }
}

} // namespace demand
