#pragma once

#include "base/finding.h"
#include "exporters/screen.h"

#include <map>
#include <ostream>
#include <string>

namespace exporters {

/// For people: by severity, the worst first, each with what it does to a measurement and what to
/// type. Findings must be in order of severity.
void write_findings(std::ostream& out, const base::Findings& findings,
                    const ScreenOptions& options);

/// { "schema", "cyclesoak", "findings": [ { "id", "severity", "what", "effect", "advice" } ],
/// "measured" }; `measured` are figures by name, seconds and ratios. An empty advice is left out.
void write_findings_json(std::ostream& out, const base::Findings& findings,
                         const std::map<std::string, double>& measured);

} // namespace exporters
