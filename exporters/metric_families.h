#pragma once

#include <optional>
#include <prometheus/metric_family.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace exporters {

/// A metric as Prometheus knows it. Counters are named ..._total; the help is written as it is, so
/// it has no backslash and no newline.
struct Metric {
    std::string_view name;
    prometheus::MetricType type;
    std::string_view help;
};

using Labels = std::vector<prometheus::ClientMetric::Label>;

/// What is told of a finished measurement or of an agent, metric by metric.
class MetricFamilies {
  public:
    /// Another series of `metric`; those of one metric follow each other. What is not known is left
    /// out, and so is a second one with the same labels, for which Prometheus would refuse all.
    /// Texts and names of labels may be of any bytes.
    void add(const Metric& metric, const Labels& labels, std::optional<double> value);
    void add(const Metric& metric, prometheus::ClientMetric::Histogram histogram);

    std::vector<prometheus::MetricFamily> take() { return std::move(families_); }

  private:
    std::vector<prometheus::ClientMetric>& series_of(const Metric& metric);

    std::vector<prometheus::MetricFamily> families_;
    std::set<Labels> labels_; ///< of the last family
};

/// In Prometheus' text format, version 0.0.4.
std::string to_text(const std::vector<prometheus::MetricFamily>& families);

} // namespace exporters
