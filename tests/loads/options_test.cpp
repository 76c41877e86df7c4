#include "base/cpu_list.h"
#include "base/error.h"
#include "loads/control.h"
#include "loads/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loads {
namespace {

using base::UsageError;
using testing::HasSubstr;

const base::CpuList allowed = {0, 2};

/// What check() says; empty: nothing.
std::string complaint(const auto& options) {
    try {
        check(options, allowed);
        return "";
    } catch (const UsageError& error) {
        return error.what();
    }
}

TEST(Options, defaults_are_fine) {
    EXPECT_EQ(complaint(Options{}), "");
    EXPECT_EQ(complaint(Options{.kind = Kind::stream}), "");
    EXPECT_EQ(complaint(Options{.kind = Kind::udp}), "");
    EXPECT_EQ(complaint(BurnOptions{}), "");
}

TEST(Options, complaints_name_the_option_and_the_range) {
    EXPECT_EQ(complaint(Options{.kind = Kind::stream, .buffer_bytes = 0}),
              "--buffer: 0 is not in 1..1073741824");
    EXPECT_EQ(complaint(Options{.kind = Kind::stream, .streams = 1001}),
              "--streams: 1001 is not in 1..1000");
    EXPECT_EQ(complaint(Options{.kind = Kind::udp, .datagram_bytes = 65508}),
              "--size: 65508 is not in 1..65507");
    EXPECT_EQ(complaint(Options{.kind = Kind::udp, .batch = 0}), "--batch: 0 is not in 1..1024");
    EXPECT_EQ(complaint(Options{.over_udp = true, .request_bytes = 65508}),
              "--request: 65508 is not in 1..65507");
    EXPECT_EQ(complaint(Options{.request_bytes = 65508}), "");
    EXPECT_EQ(complaint(Options{.response_bytes = 0}), "--response: 0 is not in 1..1073741824");
    EXPECT_EQ(complaint(Options{.client_cpu = 1}), "--cpu: 1 is not one of 0,2");
    EXPECT_EQ(complaint(Options{.server_cpu = 3}), "--cpu: 3 is not one of 0,2");
    EXPECT_EQ(complaint(Options{.extra = Nanoseconds(-1)}),
              "--extra-ns: -1 is not in 0..1000000000");
    EXPECT_EQ(complaint(Options{.duration = Nanoseconds(1500)}),
              "--time: 1500ns is not in 1ms..31536000s");
    EXPECT_THAT(complaint(Options{.rate = 0.}), HasSubstr("--rate: 0"));
}

TEST(Options, burn_is_checked) {
    EXPECT_THAT(complaint(BurnOptions{.busy_ratio = 0}), HasSubstr("--share"));
    EXPECT_THAT(complaint(BurnOptions{.busy_ratio = 1.01}), HasSubstr("--share"));
    EXPECT_EQ(complaint(BurnOptions{.busy_ratio = 1}), "");
    EXPECT_THAT(complaint(BurnOptions{.period = std::chrono::seconds(11)}), HasSubstr("--period"));
    EXPECT_EQ(complaint(BurnOptions{.gap = std::chrono::milliseconds(10)}),
              "--gap: 10ms is not in 1us..9999us");
    EXPECT_THAT(complaint(BurnOptions{.cpu = 1}), HasSubstr("--cpu: 1"));
}

TEST(Options, burst_is_a_share_or_all_but_the_gap) {
    BurnOptions options{.busy_ratio = 0.25, .period = std::chrono::milliseconds(4)};
    EXPECT_EQ(options.burst(), std::chrono::milliseconds(1));
    options.gap = std::chrono::microseconds(20);
    EXPECT_EQ(options.burst(), std::chrono::microseconds(3980));
}

TEST(Options, shares_are_percent_or_ratio) {
    EXPECT_DOUBLE_EQ(parse_share("25%"), 0.25);
    EXPECT_DOUBLE_EQ(parse_share("0.4"), 0.4);
    EXPECT_THROW(parse_share("%"), UsageError);
    EXPECT_THROW(parse_share("half"), UsageError);
}

TEST(Options, names_go_both_ways) {
    for (const auto how : {How::send, How::write, How::sendfile, How::splice, How::zerocopy})
        EXPECT_EQ(parse_how(name_of(how)), how);
    for (const auto kind : {Kind::stream, Kind::rr, Kind::udp})
        EXPECT_EQ(parse_kind(name_of(kind)), kind);
    EXPECT_THROW(parse_how("sendpage"), UsageError);
}

TEST(Request, tells_the_server_all_it_needs) {
    const auto cpu = base::usable_cpus().front();
    const Options sent{.kind = Kind::rr,
                       .server_cpu = cpu,
                       .buffer_bytes = 10,
                       .streams = 3,
                       .over_udp = true,
                       .request_bytes = 4,
                       .response_bytes = 5,
                       .busy_poll = true,
                       .datagram_bytes = 6,
                       .batch = 7};
    const auto got = parse_request(make_request(sent));
    EXPECT_EQ(got.kind, sent.kind);
    EXPECT_EQ(got.server_cpu, sent.server_cpu);
    EXPECT_EQ(got.buffer_bytes, 10);
    EXPECT_EQ(got.streams, 3);
    EXPECT_TRUE(got.over_udp);
    EXPECT_EQ(got.request_bytes, 4);
    EXPECT_EQ(got.response_bytes, 5);
    EXPECT_TRUE(got.busy_poll);
    EXPECT_EQ(got.datagram_bytes, 6);
    EXPECT_EQ(got.batch, 7);
}

TEST(Request, of_another_version_or_range_is_refused) {
    auto request = make_request({});
    request["batch"] = 100'000;
    request["kind"] = "udp";
    EXPECT_THROW(parse_request(request), UsageError);
    request = make_request({});
    request["cyclesoak_load"] = 99;
    EXPECT_THROW(parse_request(request), UsageError);
    EXPECT_THROW(parse_request(nlohmann::json::object()), UsageError);
}

} // namespace
} // namespace loads
