#pragma once

#include "demand/report.h"
#include "exporters/screen.h"

namespace exporters {

/// Where the time went, in percent of a CPU: one column for all CPUs and one for each, or, past 16
/// or the width, for the busiest and the least busy one.
void write_cpus(Screen& screen, const demand::Report& report);

} // namespace exporters
