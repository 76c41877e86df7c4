#pragma once

#include "base/cpu_list.h"
#include "base/files.h"
#include "base/time.h"
#include "probes/kept_file.h"

#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace probes {

using base::Nanoseconds;

/// A kernel thread that does network work on behalf of others.
struct NetworkThread {
    std::optional<int> cpu; ///< absent: it runs where the scheduler puts it
};

/// By the name in /proc/PID/comm: ksoftirqd/N, kworker/N:..., backlog_napi/N, napi/...; nullopt for
/// every other thread.
std::optional<NetworkThread> parse_network_thread(std::string_view comm);

/// Time on a CPU from /proc/PID/schedstat (its first figure). Throws ParseError.
Nanoseconds parse_run_time(std::string_view schedstat);

/// The CPU a thread last ran on, from /proc/PID/stat (field 39, proc(5)). Throws ParseError.
int parse_processor(std::string_view stat);

/// Run time of the kernel's network threads, by CPU. Each CPU's figure only ever grows: a thread
/// that ends leaves its time behind, a new one counts from its discovery on.
class KernelThreads {
  public:
    KernelThreads(base::Root root, base::CpuList cpus);

    /// Finds threads that appeared since; reads every process's name, so not for every phase.
    void discover();

    /// Cumulative, for each of the CPUs; empty if no such thread is visible (a pid namespace).
    /// Throws std::system_error, ParseError.
    const std::map<int, Nanoseconds>& read();

  private:
    struct Thread {
        std::optional<int> cpu;
        KeptFile schedstat, stat;
        Nanoseconds seen{};
    };

    void add(int pid, const NetworkThread& thread);
    bool read(Thread& thread);

    base::Root root_;
    base::CpuList cpus_;
    std::map<int, Thread> threads_; ///< by pid
    std::map<int, Nanoseconds> time_;
};

} // namespace probes
