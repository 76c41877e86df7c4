#include "demand/idle_time.h"

#include <fmt/format.h>

#include <map>

namespace demand {
namespace {

constexpr double tolerated = 0.02;
constexpr Nanoseconds least = std::chrono::seconds(1);

struct Sums {
    Nanoseconds elapsed{}, busy{}, tasks{};

    double contradiction() const {
        return elapsed < least ? 0 : base::to_seconds(tasks - busy) / base::to_seconds(elapsed);
    }
};

std::map<int, Sums> add_up(const std::vector<Phase>& phases) {
    std::map<int, Sums> cpus;
    for (const Phase& phase : phases) {
        if (phase.kind != PhaseKind::free) continue;
        for (const probes::CpuCounters& cpu : phase.counters.cpus) {
            if (!cpu.idle || !cpu.task_time) continue;
            Sums& sums = cpus[cpu.cpu];
            sums.elapsed += phase.elapsed;
            sums.busy += phase.elapsed - *cpu.idle;
            sums.tasks += *cpu.task_time;
        }
    }
    return cpus;
}

} // namespace

std::optional<base::Warning> drop_contradicted_idle_time(std::vector<Phase>& phases) {
    for (const auto& [cpu, sums] : add_up(phases)) {
        if (sums.contradiction() <= tolerated) continue;
        for (Phase& phase : phases)
            for (probes::CpuCounters& counters : phase.counters.cpus)
                counters.idle.reset();
        return base::Warning{
            "idle-time-inexact",
            fmt::format(
                "The kernel's idle time is not exact here: on CPU {} threads ran for {:.1f} "
                "% of the time by the scheduler, and it was not idle for {:.1f} %. So there "
                "is no idle-time demand; the soaked figures stand. cyclesoak doctor says "
                "more.",
                cpu, 100 * base::to_seconds(sums.tasks) / base::to_seconds(sums.elapsed),
                100 * base::to_seconds(sums.busy) / base::to_seconds(sums.elapsed))};
    }
    return std::nullopt;
}

} // namespace demand
