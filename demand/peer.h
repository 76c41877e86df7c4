#pragma once

#include "demand/report.h"
#include "demand/totals.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace demand {

/// An answer of the agent at the other end.
struct PeerReading {
    std::string cyclesoak; ///< its version
    Nanoseconds age{};     ///< of what it has read, when it answered
    Totals totals;         ///< as far as the answer tells
};

/// Its clock and ours need not agree, only run equally fast: what it read is older than our
/// question by no more than its age, so it read it after `moment` if this holds. Both of one clock
/// of ours.
inline bool read_since(const PeerReading& reading, Nanoseconds asked, Nanoseconds moment) {
    return asked - reading.age >= moment;
}

/// What was heard from the other end around a load. Of its times only differences are used.
struct PeerMeasurement {
    std::string address;
    std::vector<PeerReading> before;    ///< answered before the load, in order of time
    std::vector<PeerReading> after;     ///< read since the load has ended, in order of time
    std::optional<PeerReading> windows; ///< `recent` and how many `windows` there were in all
    /// Why there is no more of it; empty: nothing went wrong.
    std::string failure, windows_failure;
};

/// Some work of the whole load.
struct Done {
    double units = 0;
    std::string source; ///< who counted it
};

/// What the load, which did that `work` (by unit), cost at the other end.
///
/// By idle time, over the interval from the last reading before the load to the first one after it,
/// which contains the load and up to some seconds without:
///
///   net = busy - rate * T,   rate = busy / time in all the time between the other readings (B)
///
/// Its variance: that of the kernel's steps of 10 ms, by which the readings at the ends of these
/// times are blurred, and how much the baseline scatters from reading to reading, s² per second,
/// which blurs both the baseline's rate and what the others did during the load: s² T (1 + T/B).
/// Nothing is known of the latter with fewer than three such times, and there is no interval.
///
/// Soaked, from the windows within these times: net seconds per observed second, by the rule for
/// soaked phases (Baseline), times T and the number of CPUs. Only where 95 % confidence are within
/// 20 % of it.
PeerReport make_peer_report(const PeerMeasurement& measurement,
                            const std::map<std::string, Done>& work);

} // namespace demand
