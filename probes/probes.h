#pragma once

#include "base/cpu_list.h"
#include "base/files.h"
#include "base/warning.h"
#include "probes/counters.h"
#include "probes/cpu_times.h"
#include "probes/devices.h"
#include "probes/kept_file.h"
#include "probes/kernel_threads.h"

#include <optional>

namespace probes {

/// Reads everything the kernel counts that a measurement uses, at each edge of a phase. What cannot
/// be read is absent in the reading and a warning once; reading never fails as a whole.
class Probes {
  public:
    Probes(base::Root root, base::CpuList cpus, ReadDevices read_devices = make_device_reader());

    Counters read();

    /// One for each probe that failed in any reading so far, in the order of their first failure.
    const base::Warnings& warnings() const { return warnings_; }

    /// Looks for kernel threads that appeared since construction. Reads /proc/PID of all processes.
    void rediscover();

  private:
    struct Probe {
        const char* warning_id;
        const char* what;        ///< "CPU times"
        const char* consequence; ///< what the user will miss
        void (Probes::*read)(Counters&);
    };
    static const Probe all_probes[];

    void attempt(const Probe& probe, Counters& counters);
    void read_stat(Counters& counters);
    void read_task_time(Counters& counters);
    void read_interrupts(Counters& counters);
    void read_kernel_threads(Counters& counters);
    void read_device_counters(Counters& counters);
    void read_protocols(Counters& counters);

    base::Root root_;
    base::CpuList cpus_;
    ReadDevices read_devices_;
    KeptFile stat_, interrupts_, snmp_, snmp6_;
    std::optional<TaskTimeSource> task_time_source_;
    std::optional<KeptFile> task_time_;
    std::optional<KernelThreads> kernel_threads_;
    base::Warnings warnings_;
};

} // namespace probes
