#pragma once

#include "probes/counters.h"

#include <string_view>

namespace probes {

/// /proc/net/snmp and /proc/net/snmp6, found by the names the kernel gives, not by position. TCP is
/// counted for both address families together in the first; UDP over IPv6 stands only in the
/// second, which may be empty text where there is no IPv6. What is not there is absent. Throws
/// ParseError.
ProtocolCounters parse_protocols(std::string_view snmp, std::string_view snmp6);

} // namespace probes
