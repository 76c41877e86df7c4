#pragma once

#include "base/time.h"

#include <map>
#include <optional>
#include <string>

namespace base {

/// What a load got done, as it says itself: delivered, not merely sent.
/// What is not known is absent.
struct Work {
    std::string source;            ///< who says so: "iperf3", "cyclesoak load", "lo counters"
    std::optional<double> seconds; ///< the time the figures cover (1 where only a rate is known)
    std::optional<double> bytes;   ///< payload
    std::optional<double> packets; ///< what the source calls a packet or datagram
    std::optional<double> transactions;  ///< request and response
    std::map<std::string, double> units; ///< further units by name, for example {"request": 1e6}
    /// True if the figures count all that the load moved; false if they cover only a part of its
    /// time (a warm-up left out) or are a rate.
    bool complete = true;
};

} // namespace base
