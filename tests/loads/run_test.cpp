#include "base/cpu_list.h"
#include "loads/ends.h"
#include "loads/run.h"
#include "loads/socket.h"
#include "tests/loads/fixture.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <sys/eventfd.h>
#include <unistd.h>

namespace loads {
namespace {

using testing::HasSubstr;

class Temporary {
  public:
    explicit Temporary(size_t bytes) {
        const base::Descriptor fd(mkstemp(path_.data()));
        const std::string content(bytes, 'x');
        EXPECT_EQ(write(fd.get(), content.data(), bytes), static_cast<ssize_t>(bytes));
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() { unlink(path_.c_str()); }
    const std::string& path() const { return path_; }

  private:
    std::string path_ = testing::TempDir() + "cyclesoak-load-XXXXXX";
};

class Streams : public Loads, public testing::WithParamInterface<How> {};

TEST_P(Streams, of_memory_arrive_whole) {
    auto options = short_load(Kind::stream);
    options.how = GetParam();
    const auto result = run_loopback(options, -1);
    EXPECT_GT(*result.bytes, 0);
    EXPECT_EQ(result.bytes, result.sent);
    EXPECT_FALSE(result.packets || result.transactions);
    EXPECT_EQ(result.zerocopy_ratio.has_value(), options.how == How::zerocopy);
    EXPECT_GT(result.cpu.at("client"), Nanoseconds::zero());
    EXPECT_GT(result.cpu.at("server"), Nanoseconds::zero());
}

// Buffers that do not divide the file; several connections; corked; at a rate.
TEST_P(Streams, of_a_file_arrive_whole) {
    const Temporary file(100'001);
    auto options = short_load(Kind::stream);
    options.how = GetParam();
    options.file = file.path();
    options.buffer_bytes = 7000;
    options.streams = 3;
    options.cork = true;
    options.rate = 50e6;
    const auto result = run_loopback(options, -1);
    EXPECT_GT(*result.bytes, 0);
    EXPECT_EQ(result.bytes, result.sent);
}

INSTANTIATE_TEST_SUITE_P(Hows, Streams,
                         testing::Values(How::send, How::write, How::sendfile, How::splice,
                                         How::zerocopy),
                         [](const auto& how) { return std::string(name_of(how.param)); });

TEST_F(Loads, missing_or_empty_file_is_an_error) {
    auto options = short_load(Kind::stream);
    options.file = "/nonexistent";
    EXPECT_THAT(error_of([&] { run_loopback(options, -1); }), HasSubstr("open /nonexistent"));
    const Temporary empty(0);
    options.file = empty.path();
    EXPECT_THAT(error_of([&] { run_loopback(options, -1); }), HasSubstr(empty.path()));
}

TEST_F(Loads, rr_over_tcp_counts_bytes_both_ways) {
    auto options = short_load(Kind::rr);
    options.request_bytes = 100;
    options.response_bytes = 2000;
    const auto result = run_loopback(options, -1);
    EXPECT_GT(*result.transactions, 0);
    EXPECT_EQ(*result.bytes, *result.transactions * 2100);
    EXPECT_GT(result.latency->mean, Nanoseconds::zero());
    EXPECT_EQ(result.busy_poll, std::nullopt);
}

TEST_F(Loads, rr_over_udp) {
    auto options = short_load(Kind::rr);
    options.over_udp = true;
    const auto result = run_loopback(options, -1);
    EXPECT_GT(*result.transactions, 0);
    EXPECT_TRUE(result.resent);
}

TEST_F(Loads, rr_polls_and_says_who) {
    auto options = short_load(Kind::rr);
    options.busy_poll = true;
    for (const bool over_udp : {false, true}) {
        options.over_udp = over_udp;
        const auto result = run_loopback(options, -1);
        EXPECT_GT(*result.transactions, 0);
        // Loopback has no device queue to poll.
        EXPECT_EQ(result.busy_poll, "user");
    }
}

TEST_F(Loads, rr_keeps_its_rate_and_spends_extra) {
    auto options = short_load(Kind::rr);
    options.rate = 1000;
    options.extra = std::chrono::microseconds(1);
    const auto result = run_loopback(options, -1);
    EXPECT_GT(*result.transactions, 0);
    // Never more than is due; how much less is this machine's affair.
    EXPECT_LE(static_cast<double>(*result.transactions),
              1 + 1000 * base::to_seconds(result.elapsed));
}

TEST_F(Loads, udp_delivers_at_most_what_was_sent) {
    for (const int64_t batch : {1, 32}) {
        auto options = short_load(Kind::udp);
        options.batch = batch;
        const auto result = run_loopback(options, -1);
        EXPECT_GT(*result.packets, 0);
        EXPECT_EQ(*result.packets + *result.lost, *result.sent);
        EXPECT_EQ(*result.bytes, *result.packets * 1472);
    }
}

TEST_F(Loads, udp_at_a_low_rate_loses_nothing) {
    auto options = short_load(Kind::udp);
    options.rate = 500;
    options.datagram_bytes = 1;
    const auto result = run_loopback(options, -1);
    EXPECT_GT(*result.packets, 0);
    EXPECT_EQ(*result.lost, 0);
}

TEST_F(Loads, both_ends_can_be_pinned) {
    auto options = short_load(Kind::rr);
    options.client_cpu = options.server_cpu = base::usable_cpus().back();
    EXPECT_GT(*run_loopback(options, -1).transactions, 0);
}

TEST_F(Loads, burn_tells_what_it_used) {
    const auto result = run_burn({.duration = milliseconds(50),
                                  .cpu = base::usable_cpus().front(),
                                  .period = milliseconds(5),
                                  .walk_bytes = 10'000},
                                 -1);
    EXPECT_EQ(result.kind, "burn");
    EXPECT_GT(result.cpu.at("burn"), Nanoseconds::zero());
    EXPECT_GT(*result.bursts, 0);
    EXPECT_GT(*result.busy_ratio, 0);
}

TEST_F(Loads, end_early_and_report_all_the_same) {
    const base::Descriptor stop(eventfd(1, EFD_CLOEXEC));
    for (const auto kind : {Kind::stream, Kind::rr, Kind::udp}) {
        auto options = short_load(kind);
        options.duration = std::chrono::hours(1);
        EXPECT_TRUE(run_loopback(options, stop.get()).bytes);
    }
    EXPECT_TRUE(run_burn({.duration = std::chrono::hours(1)}, stop.get()).bursts);
}

TEST_F(Loads, a_slow_rate_does_not_delay_the_end) {
    auto options = short_load(Kind::rr);
    options.rate = 0.001;
    EXPECT_EQ(*run_loopback(options, -1).transactions, 1);
}

// A request that is lost once, and a response that comes twice.
TEST_F(Loads, rr_over_udp_survives_loss_and_repetition) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
    const base::Descriptor client(ends[0]), server(ends[1]);
    Stop stop;
    Tally tally;
    auto options = short_load(Kind::rr);
    options.over_udp = true;
    std::thread asking([&] { ask_datagrams(options, client.get(), stop, tally); });
    char request = 0, answered = 0;
    recv(server.get(), &request, 1, 0);
    for (int answers = 0; answers < 5;) {
        recv(server.get(), &request, 1, 0);
        if (request == answered) continue;
        // The second copy of the last answer must not be taken for this one's.
        base::sleep_until(base::monotonic_now() + milliseconds(10));
        char next = request;
        recv(server.get(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
        EXPECT_EQ(next, request);
        if (++answers == 5) stop.now();
        for (int copy = 0; copy < 2; ++copy)
            send(server.get(), &request, 1, 0);
        answered = request;
    }
    asking.join();
    EXPECT_EQ(tally.transactions, 5);
    EXPECT_GE(tally.resent, 1);
    EXPECT_EQ(tally.latency.count(), 5);
}

} // namespace
} // namespace loads
