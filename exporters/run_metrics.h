#pragma once

#include "demand/report.h"

#include <string>
#include <vector>

namespace exporters {

/// Finished runs as gauges in Prometheus' text format, version 0.0.4: for a file of node_exporter's
/// textfile collector or for a pushgateway. Of several runs each series has the label run, from 1.
/// `unix_seconds`: the wall clock's, now.
std::string make_run_metrics(const std::vector<demand::Report>& reports, double unix_seconds);

} // namespace exporters
