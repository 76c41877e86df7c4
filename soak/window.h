#pragma once

#include "base/time.h"

#include <cstdint>
#include <optional>

namespace soak {

using base::Nanoseconds;

/// Where a CPU's stolen time went. All signed: core, cache and unexplained may be slightly
/// negative, and are never clamped.
struct Causes {
    Nanoseconds tasks{};      ///< other threads ran
    Nanoseconds interrupts{}; ///< hard and soft interrupts in the soaker's context; also what the
                              ///< hypervisor took, where `hypervisor` is absent
    std::optional<Nanoseconds> hypervisor; ///< absent where interrupts are not measured
    Nanoseconds core{};                    ///< slower core: clock frequency, busy sibling
    Nanoseconds cache{};                   ///< waited for memory
    Nanoseconds unexplained{};             ///< stolen minus all of the above
    bool operator==(const Causes&) const = default;
};

/// One CPU over one window. elapsed = soaked + own + stolen, and stolen = the sum of the causes,
/// both exactly, in integer nanoseconds.
struct CpuWindow {
    int cpu = 0;
    Nanoseconds elapsed{};
    Nanoseconds soaked{}; ///< chunks done, times their calibrated time
    Nanoseconds own{};    ///< the instrument's own: clock readings, our other threads
    Nanoseconds stolen{};
    Causes causes;
    /// Issue width left to the soaker, against calibration; absent without yardsticks in the window.
    std::optional<double> core_share_ratio;
    uint64_t stalls = 0;
    /// Throughput blocks without a stall, and those of them that took over half as long again as
    /// calibrated: a busy thread was on the core's other hardware thread, or a stall just before.
    uint64_t throughput_blocks = 0, contended_blocks = 0;
    /// Of the stalls without another thread: for how long the soaker's CPU clock stood still. A
    /// kernel stops it for interrupts (IRQ_TIME_ACCOUNTING) and for the steal that the hypervisor
    /// admits to (PARAVIRT_TIME_ACCOUNTING), others not at all.
    Nanoseconds clock_stopped{};
    bool operator==(const CpuWindow&) const = default;
};

/// Adds the times of two windows of one CPU; core share is weighted by elapsed time.
CpuWindow operator+(const CpuWindow& a, const CpuWindow& b);

} // namespace soak
