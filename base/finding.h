#pragma once

#include <string>
#include <vector>

namespace base {

/// What a finding is worth: the worst first.
enum class Severity { bad, warning, note, good };

/// Something about this machine that helps or spoils a measurement.
struct Finding {
    std::string id; ///< stable and short: "preemption"
    Severity severity = Severity::note;
    std::string what;   ///< is found here, with its figure
    std::string effect; ///< of it on a measurement
    std::string advice; ///< commands to type, one a line; empty: nothing to do
    bool operator==(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

} // namespace base
