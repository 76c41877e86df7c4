#pragma once

#include "demand/totals.h"

#include <optional>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <string>
#include <vector>

namespace exporters {

/// Up to so many CPUs there are series of each, if nothing else is asked for.
inline constexpr size_t most_cpus_with_series = 128;

/// What an agent has counted, as metrics of Prometheus; collecting them measures nothing and never
/// waits. Sums of signed times must have been raised by demand::HighWater to be counters.
class TotalsCollectable : public prometheus::Collectable {
  public:
    /// `per_cpu`: series of each CPU, or sums over CPUs without the label cpu; absent: by how many
    /// CPUs there are.
    explicit TotalsCollectable(demand::PublishedTotals totals, std::optional<bool> per_cpu = {});

    std::vector<prometheus::MetricFamily> Collect() const override;

  private:
    demand::PublishedTotals totals_;
    bool per_cpu_;
};

/// The same in Prometheus' text format, version 0.0.4: for a scrape, or for a file of
/// node_exporter's textfile collector.
std::string make_metrics(const demand::PublishedTotals& totals, std::optional<bool> per_cpu = {});

} // namespace exporters
