#pragma once

#include "demand/measurement.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace demand {

/// What the work proxy counted in the first quarter of a phase, and in all of it.
struct FirstQuarter {
    double counts = 0, seconds = 0;
    double all_counts = 0;
};

/// What of the work was done in which load phase.
struct Apportionment {
    base::Work work;   ///< the user's or the benchmark's, else the device's counters
    std::string unit;  ///< what the work is told in first; empty: nothing counted
    std::string proxy; ///< what apportions that unit: "lo packets", "time"
    std::optional<double> proxy_packets, proxy_bytes; ///< over the whole load
    std::string packet;                               ///< what the devices count as one
    std::map<std::string, std::string> sources;       ///< unit -> who counted it
    std::map<std::string, double> totals;             ///< unit -> work of the whole load

    struct Share {
        std::optional<double> packets, bytes; ///< of the proxies
        std::map<std::string, double> units;
        std::optional<FirstQuarter> first_quarter;
    };
    std::vector<Share> shares; ///< one a load phase, in their order

    base::Warnings warnings;
};

/// A benchmark gives one total, and phases run at different speeds. So a phase's share of the total
/// is its share of a proxy: bytes for bytes, packets for everything else, on the devices that the
/// user names, else on the one that moved most packets; counted by DeviceCounters::packets() and
/// bytes().
///
///   complete:      units of a phase = total * proxy of the phase / proxy over the whole load
///   not complete:  units of a phase = (total / work.seconds) * proxy of the phase / proxy rate
///
/// The proxy rate (counts per second) is taken over the pairs in which the load ran all the time.
/// Where no device explains the work (Unix sockets, DPDK) and all load phases are of one kind, time
/// is the proxy; with both kinds there are no units. Without work from outside, the counters of the
/// devices are the work.
Apportionment apportion(const Measurement& measurement);

} // namespace demand
