#pragma once

#include "demand/baseline.h"
#include "demand/report.h"

#include <vector>

namespace demand {

/// What each CPU spent in the phases with the load, ascending by CPU, beside what the baselines
/// expect for that much time. A counter that is absent in one phase is absent in the sum.
std::vector<CpuReport> make_cpu_reports(const std::vector<Phase>& phases, const Baseline& soaked,
                                        const Baseline& free);

} // namespace demand
