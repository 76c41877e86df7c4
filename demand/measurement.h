#pragma once

#include "demand/peer.h"
#include "demand/report.h"

namespace demand {

/// What was recorded of a load; all that make_report needs.
struct Measurement {
    Nanoseconds elapsed{};            ///< of the load
    std::vector<Phase> phases;        ///< baseline and load, in order of time
    probes::Counters load;            ///< over the whole load, gaps between phases included
    std::optional<base::Work> work;   ///< what the user or the benchmark says was done
    std::vector<std::string> devices; ///< chosen by the user; empty: the busiest one
    std::optional<BenchmarkReport> benchmark;
    std::optional<PeerMeasurement> peer;
    std::string yielding;
    std::map<std::string, std::string> settings;
    base::Warnings warnings;
};

/// Everything a report says, by arithmetic alone. What cannot be known is absent, and a warning
/// says why and what to do.
Report make_report(Measurement measurement);

} // namespace demand
