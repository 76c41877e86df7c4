#pragma once

#include "base/cpu_list.h"
#include "demand/agreement.h"
#include "demand/totals.h"

#include <map>

namespace demand {

/// Adds up what an agent reads, without looking at anything itself.
class Account {
  public:
    /// What was read at one moment, cumulative.
    struct Reading {
        probes::Counters counters;
        std::map<int, Nanoseconds> soakers; ///< CPU time of each CPU's soaker
    };

    /// Counting begins here, or goes on after a pause or with other soakers or CPUs.
    void resume(const Reading& reading);
    /// Counts what happened since the last call of this or resume(). Idle time that goes a little
    /// backwards is held.
    void add(const Reading& reading);
    /// On the cores of these CPUs strangers may run, unseen: a virtual machine that knows of no
    /// sibling threads there.
    void expect_strangers(const base::CpuList& cpus);
    /// Nothing counts until resume().
    void pause() { last_.reset(); }

    void add_window(Nanoseconds start, const soak::CpuWindow& window,
                    const soak::StallCounts& stalls);
    void discard_window(const std::string& reason) { ++totals_.discarded[reason]; }
    /// What happened in a window, and between it and the one before.
    void compare(const Activity& inside, const Activity& outside);

    /// Share of the time between the last two readings in which the CPU was not idle.
    std::optional<double> busy_ratio(int cpu) const;

    /// All that was added; what is not counted here is left as it is by default.
    const Totals& totals() const { return totals_; }

  private:
    struct Cpu {
        CpuTotals totals;
        std::vector<soak::CpuWindow> block; ///< of windows that may be carried over
        size_t left_out = 0;                ///< windows beside strangers, since the last block
        Nanoseconds carried_until{};        ///< of totals.accounted
        std::optional<double> busy_ratio;
        Nanoseconds busy{}; ///< signed: idle time comes in steps
        Nanoseconds checked{}, checked_busy{}, checked_tasks{}; ///< of the check under way
        bool inexact = false;
    };

    void add(const probes::CpuCounters& change, Nanoseconds elapsed, Nanoseconds soaker);
    void check_idle_time(Cpu& cpu, Nanoseconds elapsed, Nanoseconds busy, Nanoseconds tasks);
    bool beside_stranger(const soak::CpuWindow& window) const;
    /// Nothing is carried over to a time in which most windows were beside a stranger, or of windows
    /// that contradict what they were calibrated with.
    void carry_over(Cpu& cpu, const soak::CpuWindow& window);
    void add_devices(const std::vector<probes::DeviceCounters>& now,
                     const std::vector<probes::DeviceCounters>& change);
    void publish();

    std::optional<Reading> last_;
    base::CpuList among_strangers_;
    std::map<int, Cpu> cpus_; ///< those that were there at the last reading
    Agreement agreement_;
    Totals totals_;
};

/// Packets of all devices, and interrupts between all CPUs.
Activity make_activity(const probes::Counters& change);

} // namespace demand
