#pragma once

#include <cstdint>
#include <memory>

struct rseq;

namespace soak {

/// Tells the calling thread whether the kernel ran another thread on its CPU, without a system
/// call. The thread's rseq area is armed with a critical section that is never inside; the kernel
/// takes that out when it preempts the thread, so one load tells. Where rseq is not registered
/// (an old kernel or C library, another owner) getrusage tells instead, at a system call's price.
class SwitchFlag {
  public:
    SwitchFlag();

    /// Was the thread switched out since the last call? Arms the flag again.
    bool take() {
        if (armed_at_) [[likely]] {
            if (*armed_at_ != 0) [[likely]]
                return false;
            arm();
            return true;
        }
        return take_from_usage();
    }
    bool uses_rseq() const { return armed_at_ != nullptr; }
    /// CPU the calling thread is on.
    int cpu() const;

  private:
    void arm();
    bool take_from_usage();

    volatile uint64_t* armed_at_ = nullptr;
    int64_t switches_ = 0;
};

} // namespace soak
