#pragma once

#include "soak/calibration.h"

#include <ostream>
#include <vector>

namespace exporters {

/// A line a CPU, in nanoseconds, and what the columns mean.
void write_calibration(std::ostream& out, const soak::Calibration& calibration);

/// As docs/report.md describes it. `working_set_bytes`: one a CPU, in their order.
void write_calibration_json(std::ostream& out, const soak::Calibration& calibration,
                            const std::vector<size_t>& working_set_bytes);

} // namespace exporters
