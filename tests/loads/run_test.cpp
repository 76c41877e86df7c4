#include "base/files.h"
#include "base/text.h"
#include "loads/control.h"
#include "loads/ends.h"
#include "loads/run.h"
#include "loads/server.h"
#include "loads/socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <sys/eventfd.h>
#include <unistd.h>

namespace loads {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

size_t count_entries(const char* folder) { return base::Root().list(folder).size(); }

/// What every load must leave behind: no thread, no descriptor.
class Loads : public testing::Test {
  protected:
    // With the first thread a sanitizer may start one of its own, which stays.
    static void SetUpTestSuite() {
        std::thread([] {}).join();
    }

    void TearDown() override {
        // A joined thread stays in /proc for a moment.
        for (int i = 0; i < 1000 && count_entries("proc/self/task") > threads_; ++i)
            base::sleep_until(base::monotonic_now() + milliseconds(5));
        EXPECT_LE(count_entries("proc/self/task"), threads_);
        EXPECT_EQ(count_entries("proc/self/fd"), descriptors_);
    }

  private:
    size_t threads_ = count_entries("proc/self/task");
    size_t descriptors_ = count_entries("proc/self/fd");
};

Options short_load(Kind kind) {
    Options options;
    options.kind = kind;
    options.duration = milliseconds(60);
    return options;
}

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

/// What a call throws; empty: nothing.
std::string error_of(auto&& call) {
    try {
        call();
        return "";
    } catch (const std::exception& error) {
        return error.what();
    }
}

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
    options.client_cpu = options.server_cpu = read_allowed_cpus().back();
    EXPECT_GT(*run_loopback(options, -1).transactions, 0);
}

TEST_F(Loads, burn_tells_what_it_used) {
    const auto result = run_burn({.duration = milliseconds(50),
                                  .cpu = read_allowed_cpus().front(),
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

/// A server in a thread of its own, as `--listen` has it in a program of its own.
class Listening {
  public:
    explicit Listening(const std::string& host)
        : server_(read_addresses({host, 0}).front()), thread_([=, this] {
              server_.serve(stop_.get(), Nanoseconds::max(),
                            {.served = [this](const Result& result) { served.push_back(result); },
                             .failed = [this](const std::string& why) { failed.push_back(why); }});
          }) {}
    ~Listening() { end(); }
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;

    Address address() const { return server_.address(); }
    void end() {
        eventfd_write(stop_.get(), 1);
        if (thread_.joinable()) thread_.join();
    }

    std::vector<Result> served;
    std::vector<std::string> failed;

  private:
    base::Descriptor stop_{eventfd(0, EFD_CLOEXEC)};
    Server server_;
    std::thread thread_;
};

TEST_F(Loads, one_server_serves_every_kind_one_after_the_other) {
    Listening server("127.0.0.1");
    std::vector<Result> results;
    for (const auto kind : {Kind::stream, Kind::rr, Kind::udp})
        results.push_back(run_client(short_load(kind), {server.address()}, -1));
    server.end();
    EXPECT_THAT(server.failed, testing::IsEmpty());
    ASSERT_EQ(server.served.size(), 3);
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(server.served[i].kind, results[i].kind);
        EXPECT_EQ(server.served[i].bytes, results[i].bytes);
    }
    EXPECT_EQ(server.served[1].transactions, results[1].transactions);
    EXPECT_EQ(server.served[2].packets, results[2].packets);
}

TEST_F(Loads, connection_refused_names_the_address) {
    Address address = Listening("127.0.0.1").address();
    EXPECT_THAT(error_of([&] { run_client(short_load(Kind::rr), {address}, -1); }),
                HasSubstr("connect to " + address.text() + ": Connection refused"));
}

TEST_F(Loads, further_addresses_are_tried) {
    const Address nobody = Listening("127.0.0.1").address();
    Listening server("127.0.0.1");
    EXPECT_GT(*run_client(short_load(Kind::rr), {nobody, server.address()}, -1).transactions, 0);
}

TEST_F(Loads, server_outlives_strangers_and_tells_why_it_refuses) {
    Listening server("127.0.0.1");
    {
        Control stranger(connect_tcp(server.address()));
        stranger.send({{"cyclesoak_load", 99}});
        EXPECT_THAT(error_of([&] { stranger.receive(); }), HasSubstr("speaks version 1"));
        const auto garbage = connect_tcp(server.address());
        send_all(garbage.get(), std::string_view("GET / HTTP/1.0\r\n\r\n"));
        connect_tcp(server.address()).close();
    }
    auto options = short_load(Kind::rr);
    options.server_cpu = 100'000;
    EXPECT_THAT(error_of([&] { run_client(options, {server.address()}, -1); }),
                HasSubstr("--cpu: 100000"));
    EXPECT_GT(*run_client(short_load(Kind::rr), {server.address()}, -1).transactions, 0);
    server.end();
    EXPECT_EQ(server.failed.size(), 4);
}

base::Descriptor connect_data(Kind kind, const Address& address) {
    return kind == Kind::udp ? connect_udp(address) : connect_tcp(address);
}

TEST_F(Loads, server_that_is_ended_in_mid_run_says_so) {
    for (const auto kind : {Kind::stream, Kind::rr, Kind::udp}) {
        Listening server("127.0.0.1");
        Control control(connect_tcp(server.address()));
        control.send(make_request(short_load(kind)));
        const auto port = control.receive().at("port").get<uint16_t>();
        const auto data = connect_data(kind, server.address().with_port(port));
        server.end();
        EXPECT_THAT(error_of([&] { control.receive(); }), HasSubstr("the server was ended"));
    }
}

TEST_F(Loads, server_can_be_ended_while_datagrams_keep_coming) {
    Listening server("127.0.0.1");
    std::atomic<bool> over = false;
    Control control(connect_tcp(server.address()));
    control.send(make_request(short_load(Kind::udp)));
    const auto port = control.receive().at("port").get<uint16_t>();
    std::thread sender([&] {
        const auto data = connect_udp(server.address().with_port(port));
        while (!over)
            send(data.get(), "x", 1, MSG_NOSIGNAL);
    });
    server.end();
    over = true;
    sender.join();
    EXPECT_EQ(server.failed.size(), 1);
}

/// A server that breaks off once the client has connected; `last` is what it does then.
std::string error_after(Kind kind, const std::function<void(Control&)>& last) {
    const auto loopback = read_addresses({"127.0.0.1", 0}).front();
    const auto listener = listen_tcp(loopback);
    std::thread breaking([&] {
        const auto data = kind == Kind::udp ? bind_udp(loopback) : listen_tcp(loopback);
        Control control(accept_tcp(listener.get()));
        control.receive();
        control.send({{"port", Address::of_socket(data.get()).port()}});
        if (kind != Kind::udp) accept_tcp(data.get());
        last(control);
    });
    auto options = short_load(kind);
    options.duration = std::chrono::hours(1);
    const auto error =
        error_of([&] { run_client(options, {Address::of_socket(listener.get())}, -1); });
    breaking.join();
    return error;
}

TEST_F(Loads, a_server_that_breaks_off_is_asked_why) {
    for (const auto kind : {Kind::stream, Kind::rr, Kind::udp})
        EXPECT_THAT(error_after(kind,
                                [](Control& control) {
                                    control.send({{"error", "tired"}});
                                }),
                    HasSubstr(": tired"));
}

TEST_F(Loads, a_server_that_dies_is_an_error) {
    for (const auto kind : {Kind::stream, Kind::rr, Kind::udp})
        EXPECT_THAT(error_after(kind, [](Control&) {}), HasSubstr("the other end closed"));
}

TEST_F(Loads, client_that_is_gone_in_mid_run_does_not_end_the_server) {
    Listening server("127.0.0.1");
    {
        Control control(connect_tcp(server.address()));
        control.send(make_request(short_load(Kind::rr)));
        const auto port = control.receive().at("port").get<uint16_t>();
        connect_tcp(server.address().with_port(port)).close();
    }
    EXPECT_GT(*run_client(short_load(Kind::rr), {server.address()}, -1).transactions, 0);
    server.end();
    ASSERT_EQ(server.failed.size(), 1);
    EXPECT_THAT(server.failed[0], HasSubstr("closed the connection"));
}

TEST_F(Loads, no_cyclesoak_at_the_other_end_is_told) {
    const auto listener = listen_tcp(read_addresses({"127.0.0.1", 0}).front());
    std::thread web([&] {
        const auto connection = accept_tcp(listener.get());
        send_all(connection.get(), std::string_view("HTTP/1.0 400 Bad Request\r\n"));
    });
    const auto error = error_of(
        [&] { run_client(short_load(Kind::rr), {Address::of_socket(listener.get())}, -1); });
    web.join();
    EXPECT_THAT(error, HasSubstr("not a cyclesoak load"));
}

bool has_ipv6_loopback() {
    return error_of([] { listen_tcp(read_addresses({"::1", 0}).front()); }).empty();
}

TEST_F(Loads, work_over_ipv6) {
    if (!has_ipv6_loopback()) return;
    Listening server("::1");
    for (const auto kind : {Kind::stream, Kind::rr, Kind::udp})
        EXPECT_GT(*run_client(short_load(kind), {server.address()}, -1).bytes, 0);
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
