#pragma once

#include "agent/reply.h"
#include "agent/server.h"
#include "demand/high_water.h"
#include "demand/history.h"
#include "demand/totals.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace commands {

/// What an agent last told, and how it is told on: written by the agent, read by those who ask, in
/// any thread. Nobody waits for a measurement, and a text is made once for all who ask for it.
class Bulletin {
  public:
    /// `per_cpu`: a series for each CPU in the metrics; absent: as their number suggests.
    explicit Bulletin(std::optional<bool> per_cpu) : per_cpu_(per_cpu) {}

    void publish(demand::PublishedTotals totals);
    void set_per_cpu(std::optional<bool> per_cpu);

    /// In Prometheus' text format; nothing before the first publication.
    std::shared_ptr<const std::string> metrics();
    /// What the agent's server answers, by path.
    std::map<std::string, agent::Handler> paths();

  private:
    demand::PublishedTotals latest() const;
    agent::Reply history() const;

    mutable std::mutex mutex_;
    std::optional<bool> per_cpu_;
    demand::HighWater high_water_;
    demand::History history_;                    ///< of raised totals
    demand::PublishedTotals totals_, raised_;    ///< as they are, and as counters
    std::shared_ptr<const std::string> metrics_; ///< of raised_; none yet where nobody asked
};

} // namespace commands
