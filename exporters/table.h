#pragma once

#include "demand/report.h"
#include "exporters/screen.h"

#include <ostream>

namespace exporters {

/// The page a person reads after a measurement: the answer first, then where the time went, what
/// soaking did to the load, the work, and the doubts in words. Many CPUs are told as their sum, the
/// busiest and the least busy one.
void write_table(std::ostream& out, const demand::Report& report, const ScreenOptions& options);

} // namespace exporters
