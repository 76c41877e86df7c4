#pragma once

#include "base/cpu_list.h"
#include "base/descriptor.h"

#include <filesystem>
#include <stdexcept>
#include <sys/types.h>

namespace soak {

/// Somebody else soaks a CPU that we want.
class HeldError : public std::runtime_error {
  public:
    HeldError(int cpu, pid_t holder);

    int cpu() const { return cpu_; }
    pid_t holder() const { return holder_; }

  private:
    int cpu_;
    pid_t holder_;
};

/// Where the lock lives: /run/lock, or /tmp where there is none.
std::filesystem::path holder_path();

/// One holder per CPU: a lock on byte N of one file stands for CPU N, and the kernel knows who has
/// it and frees it when that process ends, however it ends.
class Holder {
  public:
    /// Throws HeldError with the holder's pid, or std::system_error.
    Holder(const std::filesystem::path& path, const base::CpuList& cpus);

  private:
    base::Descriptor file_;
};

} // namespace soak
