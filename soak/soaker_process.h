#pragma once

#include "base/descriptor.h"
#include "soak/record_ring.h"
#include "soak/slot.h"
#include "soak/topology.h"
#include "soak/yielding.h"

#include <memory>
#include <span>
#include <sys/types.h>
#include <vector>

namespace soak {

/// What one soaker of the process is to be.
struct SoakerPlan {
    int cpu = 0;
    size_t working_set_bytes = 0;
    size_t evicting_bytes = 0;
    bool counter = true;
};

/// The soakers' own process: one pinned SCHED_IDLE, nice 19 thread a CPU, named soak/CPU, in its own
/// session. Ends
/// with this object, and with this process however that ends.
class SoakerProcess {
  public:
    /// Forks. Call while the process has one thread: the parent-death signal follows the forking
    /// thread. `record`: with rings. Throws std::system_error.
    SoakerProcess(const Topology& topology, const std::vector<SoakerPlan>& plans,
                  bool record = false);
    ~SoakerProcess();
    SoakerProcess(const SoakerProcess&) = delete;
    SoakerProcess& operator=(const SoakerProcess&) = delete;

    pid_t pid() const { return pid_; }
    /// Has it ended (killed by the system or an operator)?
    bool ended() const;
    /// One slot a plan, in their order.
    std::span<Slot> slots() const { return slots_; }
    /// As many, or none.
    std::span<RecordRing> rings() const { return rings_; }

  private:
    std::span<Slot> slots_; // shared mappings
    std::span<RecordRing> rings_;
    pid_t pid_ = -1;
    base::Descriptor ended_; // pidfd
};

} // namespace soak
