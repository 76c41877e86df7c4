#include "demand/high_water.h"

#include <algorithm>
#include <utility>

namespace demand {
namespace {

/// An optional that was known stays known: std::max takes nothing for less than any value.
template <typename Value>
void raise_to(Value& value, const Value& before) {
    value = std::max(value, before);
}

void raise_to(CpuTotals& cpu, const CpuTotals& before) {
    if (cpu.busy) raise_to(cpu.busy, before.busy);
    raise_to(cpu.windows.soaked, before.windows.soaked);
    raise_to(cpu.windows.own, before.windows.own);
    raise_to(cpu.windows.stolen, before.windows.stolen);
    auto& causes = cpu.windows.causes;
    raise_to(causes.tasks, before.windows.causes.tasks);
    raise_to(causes.interrupts, before.windows.causes.interrupts);
    raise_to(causes.hypervisor, before.windows.causes.hypervisor);
    raise_to(causes.core, before.windows.causes.core);
    raise_to(causes.cache, before.windows.causes.cache);
    raise_to(causes.unexplained, before.windows.causes.unexplained);
    raise_to(cpu.cache.seconds, before.cache.seconds);
}

/// Times that only grow tell a CPU that went and came back between two readings.
bool goes_on(const CpuTotals& cpu, const CpuTotals& before) {
    return cpu.accounted >= before.accounted && cpu.windows.elapsed >= before.windows.elapsed;
}

} // namespace

void HighWater::raise(Totals& totals) {
    auto before = std::exchange(latest_, {});
    for (CpuTotals& cpu : totals.cpus) {
        raise_to(cpu, CpuTotals()); // every sum began at zero
        if (auto& taken = cpu.windows.causes.hypervisor) raise_to(*taken, Nanoseconds());
        const auto found = before.find(cpu.cpu);
        if (found != before.end() && goes_on(cpu, found->second)) {
            raise_to(cpu, found->second);
            before.erase(found);
        }
        latest_[cpu.cpu] = cpu;
    }
    for (const auto& [number, gone] : before)
        departed_ = departed_ + gone;
    totals.departed = departed_;
}

} // namespace demand
