#pragma once

#include "base/cpu_list.h"
#include "base/files.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct hwloc_topology;

namespace soak {

/// One CPU as the machine (or its hypervisor) describes it.
struct CpuPlace {
    int cpu = 0;
    base::CpuList siblings; ///< hardware threads of the same core, itself included
    int numa_node = 0;
    /// Cache by level (1..3): its size divided by the threads that share it. Absent: unknown.
    std::map<int, size_t> cache_share_bytes;
};

/// The machine: allowed CPUs, who shares what, and binding, by hwloc.
class Topology {
  public:
    /// The machine we run on.
    Topology();
    /// hwloc's synthetic description, for example "package:1 core:4 pu:2"; binding does nothing.
    explicit Topology(const std::string& synthetic);
    Topology(Topology&&) noexcept;
    Topology& operator=(Topology&&) noexcept;
    ~Topology();

    /// The CPUs the calling thread may use.
    base::CpuList cpus() const;
    /// Throws std::invalid_argument for a CPU that is not there.
    CpuPlace place(int cpu) const;
    /// Pins the calling thread. Throws std::system_error.
    void bind_thread(int cpu) const;
    /// Zeroed memory, local to the CPU's NUMA node and in huge pages where the system lets us say
    /// so. Small pages lie anywhere: how they collide in the cache then differs from one process to
    /// the next, and so does the time of a chunk (docs/measurement.md). Lives as long as the process.
    std::span<std::byte> allocate_near(int cpu, size_t bytes) const;

  private:
    struct Free {
        void operator()(hwloc_topology* topology) const;
    };
    std::unique_ptr<hwloc_topology, Free> topology_;
};

/// Without those that the kernel keeps clear for somebody (isolated, nohz_full): they are soaked
/// only on request.
base::CpuList unreserved(base::CpuList cpus, const base::Root& root);

/// How heavily cache misses penalise the soaker: `none`, `l1`, `l2`, `l3`, or bytes.
struct WorkingSetChoice {
    std::optional<int> cache_level = 2;
    size_t bytes = 0; ///< used without a level; 0: none

    /// Throws base::UsageError.
    static WorkingSetChoice parse(const std::string& text);
    std::string text() const;
};

/// A working set's size and, where the description is absurd, what was done about it.
struct WorkingSetSize {
    size_t bytes = 0;
    std::string note; ///< empty, or why it is not what was asked for
};

/// Half of the thread's share of the chosen cache, in whole lines; capped at 16 MiB, since
/// hypervisors report caches that nobody has. Unknown cache: 16 KiB, 512 KiB or 4 MiB by level.
WorkingSetSize working_set_size(const CpuPlace& place, const WorkingSetChoice& choice);

} // namespace soak
