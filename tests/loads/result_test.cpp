#include "loads/result.h"

#include <gtest/gtest.h>

#include <sstream>

namespace loads {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string json_of(const Result& result) {
    std::ostringstream out;
    write_json(out, result);
    return out.str();
}

std::string table_of(const Result& result) {
    std::ostringstream out;
    write_table(out, result, "u");
    return out.str();
}

Tally tally(Nanoseconds cpu, Nanoseconds ended) {
    Tally made;
    made.cpu = cpu;
    made.ended = ended;
    return made;
}

Result rr_result() {
    const Options options{.kind = Kind::rr, .over_udp = true, .busy_poll = true};
    auto client = tally(seconds(1), seconds(12));
    client.transactions = 4000;
    client.bytes = 8000;
    client.resent = 2;
    for (int i = 0; i < 100; ++i)
        client.latency.add(Nanoseconds(100));
    return make_result(options, client, tally(milliseconds(500), seconds(3)), seconds(10));
}

Result udp_result() {
    auto client = tally(seconds(1), seconds(2));
    client.sent = 1000;
    auto server = tally(milliseconds(100), seconds(3));
    server.packets = 990;
    server.bytes = 990 * 1472;
    return make_result({.kind = Kind::udp}, client, server, Nanoseconds::zero());
}

Result stream_result() {
    auto client = tally(milliseconds(250), milliseconds(1500));
    client.sent = 3 << 20;
    client.zerocopy_sends = 48;
    client.zerocopy_copied = 12;
    auto server = tally(milliseconds(125), {});
    server.bytes = 3 << 20;
    return make_result({.kind = Kind::stream, .how = How::zerocopy}, client, server,
                       milliseconds(500));
}

TEST(ResultJson, rr) {
    EXPECT_EQ(json_of(rr_result()),
              R"({"schema":1,"kind":"rr","how":"udp","seconds":2.0,"bytes":8000,)"
              R"("transactions":4000,"resent":2,"cpu_seconds":{"client":1.0,"server":0.5},)"
              R"("busy_poll":"user","latency_seconds":{"mean":1e-07,"p50":1e-07,"p99":1e-07}})"
              "\n");
}

TEST(ResultJson, udp_counts_what_arrived) {
    EXPECT_EQ(json_of(udp_result()),
              R"({"schema":1,"kind":"udp","seconds":2.0,"bytes":1457280,"packets":990,"sent":1000,)"
              R"("lost":10,"cpu_seconds":{"client":1.0,"server":0.1}})"
              "\n");
}

TEST(ResultJson, stream) {
    EXPECT_EQ(json_of(stream_result()),
              R"({"schema":1,"kind":"stream","how":"zerocopy","seconds":1.0,"bytes":3145728,)"
              R"("sent":3145728,"cpu_seconds":{"client":0.25,"server":0.125},)"
              R"("zerocopy_ratio":0.75})"
              "\n");
}

TEST(ResultTable, rr) {
    EXPECT_EQ(table_of(rr_result()),
              "rr over udp, 2.00 s\n"
              "  transactions  4,000           2.00 k/s\n"
              "  payload       8.00 kB         4.00 kB/s  (32.0 kb/s)\n"
              "  resent        2 (no response within 200 ms)\n"
              "  latency       mean 100 ns   median 100 ns   99 % below 100 ns\n"
              "  CPU client    1.00 s          50.0 %   250 us/transaction\n"
              "  CPU server    500.0 ms        25.0 %   125 us/transaction\n"
              "  busy-poll     in user space: the kernel cannot poll for this connection\n");
}

TEST(ResultTable, udp) {
    EXPECT_EQ(table_of(udp_result()), "udp, 2.00 s\n"
                                      "  datagrams     990             495 /s\n"
                                      "  payload       1.46 MB         729 kB/s  (5.83 Mb/s)\n"
                                      "  lost          10              1.00 % of 1,000 sent\n"
                                      "  CPU client    1.00 s          50.0 %   1010 us/datagram\n"
                                      "  CPU server    100.0 ms        5.0 %   101 us/datagram\n");
}

TEST(ResultTable, stream) {
    EXPECT_EQ(table_of(stream_result()),
              "stream by zerocopy, 1.00 s\n"
              "  payload       3.15 MB         3.15 MB/s  (25.2 Mb/s)\n"
              "  CPU client    250.0 ms        25.0 %   81.4 us/KB\n"
              "  CPU server    125.0 ms        12.5 %   40.7 us/KB\n"
              "  zero-copy     75.0 % of the sends; the kernel copied the others\n");
}

TEST(Result, of_a_load_that_did_nothing_has_no_latency_and_no_cost) {
    const auto result = make_result({}, tally({}, seconds(1)), {}, Nanoseconds::zero());
    EXPECT_FALSE(result.latency);
    EXPECT_EQ(table_of(result), "rr over tcp, 1.00 s\n"
                                "  transactions  0               0.00 /s\n"
                                "  payload       0.00 B          0.00 B/s  (0.00 b/s)\n"
                                "  CPU client    0 ns            0.0 %\n"
                                "  CPU server    0 ns            0.0 %\n");
}

} // namespace
} // namespace loads
