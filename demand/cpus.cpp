#include "demand/cpus.h"

#include <functional>
#include <map>

namespace demand {
namespace {

/// Sums a time that some phases may lack: one lack, and the sum is not known.
class OptionalSum {
  public:
    void add(std::optional<Nanoseconds> time) {
        if (!time) known_ = false;
        sum_ += time.value_or(Nanoseconds{});
        any_ = true;
    }
    std::optional<Nanoseconds> get() const {
        return any_ && known_ ? std::optional(sum_) : std::nullopt;
    }

  private:
    Nanoseconds sum_{};
    bool known_ = true, any_ = false;
};

struct CpuSums {
    std::optional<soak::CpuWindow> soaked;
    OptionalSum kernel_network, steal;
    OptionalSum elapsed, busy, tasks, tick_busy, tick_total;
};

void add_soaked(std::map<int, CpuSums>& sums, const Phase& phase) {
    for (const soak::CpuWindow& window : phase.soaked) {
        auto& sum = sums[window.cpu].soaked;
        sum = sum ? *sum + window : window;
    }
    for (const probes::CpuCounters& cpu : phase.counters.cpus) {
        sums[cpu.cpu].kernel_network.add(cpu.kernel_network);
        sums[cpu.cpu].steal.add(cpu.steal);
    }
}

void add_free(std::map<int, CpuSums>& sums, const Phase& phase) {
    for (const probes::CpuCounters& cpu : phase.counters.cpus) {
        CpuSums& sum = sums[cpu.cpu];
        sum.elapsed.add(phase.elapsed);
        sum.busy.add(cpu.idle ? std::optional(phase.elapsed - *cpu.idle) : std::nullopt);
        sum.tasks.add(cpu.task_time);
        sum.tick_busy.add(cpu.tick_busy);
        sum.tick_total.add(cpu.tick_total);
    }
}

/// What the baseline expects of all phases of a kind, by CPU.
Bill expected(const std::vector<Phase>& phases, PhaseKind kind, const Baseline& baseline) {
    Bill sum;
    for (const Phase& phase : phases)
        if (phase.stage == Stage::load && phase.kind == kind)
            sum = std::move(sum) + make_bill(phase).value_or(Bill{});
    return baseline.expected(sum);
}

} // namespace

std::vector<CpuReport> make_cpu_reports(const std::vector<Phase>& phases, const Baseline& soaked,
                                        const Baseline& free) {
    std::map<int, CpuSums> sums;
    for (const Phase& phase : phases)
        if (phase.stage == Stage::load)
            (phase.kind == PhaseKind::soaked ? add_soaked : add_free)(sums, phase);

    const Bill soaked_baseline = expected(phases, PhaseKind::soaked, soaked);
    const Bill free_baseline = expected(phases, PhaseKind::free, free);
    std::vector<CpuReport> reports;
    for (const auto& [cpu, sum] : sums) {
        CpuReport& report = reports.emplace_back();
        report.cpu = cpu;
        report.soaked = sum.soaked;
        if (sum.soaked && soaked.known())
            report.baseline = base::from_seconds(total(soaked_baseline, cpu));
        report.kernel_network = sum.kernel_network.get();
        report.steal = sum.steal.get();
        report.free_elapsed = sum.elapsed.get();
        report.idle_time_busy = sum.busy.get();
        if (report.idle_time_busy && free.known())
            report.idle_time_baseline = base::from_seconds(total(free_baseline, cpu));
        report.task_time = sum.tasks.get();
        report.tick_busy = sum.tick_busy.get();
        report.tick_total = sum.tick_total.get();
    }
    return reports;
}

} // namespace demand
