#include "base/error.h"
#include "probes/protocols.h"

#include <gtest/gtest.h>

namespace probes {
namespace {

constexpr auto snmp = "Tcp: RtoMin MaxConn InSegs OutSegs\n"
                      "Tcp: 200 -1 546 332\n"
                      "Udp: OutDatagrams InDatagrams NoPorts InErrors RcvbufErrors\n"
                      "Udp: 27 26 1 5 5\n"
                      "UdpLite: InDatagrams OutDatagrams InErrors\n"
                      "UdpLite: 900 900 900\n";

TEST(Protocols, FoundByNameNotPosition) {
    const auto counters = parse_protocols(snmp, "");
    EXPECT_EQ(counters.tcp_segments_in, 546U);
    EXPECT_EQ(counters.tcp_segments_out, 332U);
    EXPECT_EQ(counters.udp_datagrams_in, 26U);
    EXPECT_EQ(counters.udp_datagrams_out, 27U);
    EXPECT_EQ(counters.udp_receive_errors, 5U);
}

TEST(Protocols, UdpOverIpv6IsAdded) {
    const auto counters = parse_protocols(snmp, "Ip6InReceives   \t18\n"
                                                "Udp6InDatagrams   \t1000\n"
                                                "Udp6InErrors      \t20\n"
                                                "Udp6OutDatagrams  \t2000\n");
    EXPECT_EQ(counters.tcp_segments_in, 546U);
    EXPECT_EQ(counters.udp_datagrams_in, 1026U);
    EXPECT_EQ(counters.udp_datagrams_out, 2027U);
    EXPECT_EQ(counters.udp_receive_errors, 25U);
}

TEST(Protocols, WhatIsNotThereIsAbsent) {
    const auto counters = parse_protocols("Udp: InDatagrams\nUdp: 26\n", "");
    EXPECT_EQ(counters.udp_datagrams_in, 26U);
    EXPECT_EQ(counters.udp_datagrams_out, std::nullopt);
    EXPECT_EQ(counters.tcp_segments_in, std::nullopt);
}

TEST(Protocols, BrokenPairIsRefused) {
    EXPECT_THROW(parse_protocols("Tcp: InSegs OutSegs\nTcp: 1\n", ""), base::ParseError);
    EXPECT_THROW(parse_protocols("Tcp: InSegs\nUdp: 1\n", ""), base::ParseError);
    EXPECT_THROW(parse_protocols("Tcp: InSegs\nTcp: many\n", ""), base::ParseError);
}

} // namespace
} // namespace probes
