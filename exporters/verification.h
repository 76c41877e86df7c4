#pragma once

#include "demand/verification.h"
#include "exporters/screen.h"

#include <ostream>

namespace exporters {

/// As docs/report.md describes it.
void write_verification_json(std::ostream& out, const demand::Verification& verification);

/// True, reported and error of each load, in percent of the CPU, and in words what to trust.
void write_verification(std::ostream& out, const demand::Verification& verification,
                        const ScreenOptions& options);

} // namespace exporters
