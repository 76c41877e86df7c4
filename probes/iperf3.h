#pragma once

#include "probes/benchmark_results.h"

#include <string_view>

namespace probes {

/// `iperf3 -J`, client or server, TCP or UDP, -R, --bidir, -P, -O. Work is what arrived, of both
/// directions together:
/// - bytes: end.sum_received.bytes. With UDP, end.sum and end.sum_sent count what was sent, and
///   only the receiver's sum is net of losses (seen with 3.12: it is exactly the datagram size
///   times packets minus lost_packets, while the other two are larger).
/// - packets (UDP): datagrams, packets - lost_packets of the same sum.
/// With -O the time left out at the start is in no figure: Work::complete is false.
/// CPU ratios "host" and "remote" are of the iperf3 process at each end.
/// Throws base::ParseError, also with iperf3's own words if it reports an error.
BenchmarkResults parse_iperf3(std::string_view text);

} // namespace probes
