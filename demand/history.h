#pragma once

#include "demand/totals.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace demand {

/// What a network device carried in some time.
struct Carried {
    std::string device;
    uint64_t packets = 0, bytes = 0; ///< on loopback each counts once
};

/// What a host did in a stretch of time: increments, over all CPUs.
struct Stretch {
    double unix_seconds = 0; ///< when it ended, by the wall clock
    CpuTotals cost;
    std::vector<Carried> devices; ///< that carried anything
    uint64_t packets = 0, bytes = 0;
};

/// The share of the time that a CPU was busy.
struct CpuShare {
    int cpu = 0;
    std::optional<double> busy_ratio; ///< absent: not known
};

/// Ten seconds of a host's history.
struct HistoryStep : Stretch {
    std::vector<CpuShare> cpus;
};

/// Estimates of a stretch: everything that was not idle, and what waited for memory.
struct Cost {
    double cpu_seconds = 0;    ///< busy + cache, of all CPUs
    double standard_error = 0; ///< of the cache's part; the rest is a count
    double accounted_seconds = 0;
    /// The device that carried at least nine of ten packets; empty: none, and the work is the
    /// host's.
    std::string device;
    uint64_t packets = 0, bytes = 0; ///< of that device, or of the host
};

/// Nullopt where busy time is not known. The cache is taken for the time that it was not carried
/// over to at the rate that it had in the rest.
std::optional<Cost> cost_of(const Stretch& stretch);

/// The last hour of an agent, in steps.
class History {
  public:
    static constexpr Nanoseconds step = std::chrono::seconds(10);
    static constexpr size_t most_steps = 360;

    using Steps = std::deque<std::shared_ptr<const HistoryStep>>;

    /// In order of time; counters that never fall (HighWater).
    void add(PublishedTotals totals);

    const Steps& steps() const { return steps_; }

  private:
    PublishedTotals last_; ///< at the end of the last step
    Steps steps_;
};

/// All that happened in the last `length`, as far as these steps go back.
Stretch last(const History::Steps& steps, Nanoseconds length);

} // namespace demand
