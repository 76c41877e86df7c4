#include "loads/control.h"
#include "loads/run.h"
#include "loads/server.h"
#include "loads/socket.h"
#include "tests/loads/fixture.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <sys/eventfd.h>
#include <unistd.h>

namespace loads {
namespace {

using testing::HasSubstr;

class Servers : public Loads {};

/// A server in a thread of its own, as `--listen` has it in a program of its own.
class Listening {
  public:
    explicit Listening(const std::string& host)
        : server_(base::read_addresses({host, 0}).front()), thread_([=, this] {
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

TEST_F(Servers, one_server_serves_every_kind_one_after_the_other) {
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

TEST_F(Servers, connection_refused_names_the_address) {
    Address address = Listening("127.0.0.1").address();
    EXPECT_THAT(error_of([&] { run_client(short_load(Kind::rr), {address}, -1); }),
                HasSubstr("connect to " + address.text() + ": Connection refused"));
}

TEST_F(Servers, further_addresses_are_tried) {
    const Address nobody = Listening("127.0.0.1").address();
    Listening server("127.0.0.1");
    EXPECT_GT(*run_client(short_load(Kind::rr), {nobody, server.address()}, -1).transactions, 0);
}

TEST_F(Servers, server_outlives_strangers_and_tells_why_it_refuses) {
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

TEST_F(Servers, server_that_is_ended_in_mid_run_says_so) {
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

TEST_F(Servers, server_can_be_ended_while_datagrams_keep_coming) {
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
    const auto loopback = base::read_addresses({"127.0.0.1", 0}).front();
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

TEST_F(Servers, a_server_that_breaks_off_is_asked_why) {
    for (const auto kind : {Kind::stream, Kind::rr, Kind::udp})
        EXPECT_THAT(error_after(kind,
                                [](Control& control) {
                                    control.send({{"error", "tired"}});
                                }),
                    HasSubstr(": tired"));
}

TEST_F(Servers, a_server_that_dies_is_an_error) {
    for (const auto kind : {Kind::stream, Kind::rr, Kind::udp})
        EXPECT_THAT(error_after(kind, [](Control&) {}), HasSubstr("the other end closed"));
}

TEST_F(Servers, client_that_is_gone_in_mid_run_does_not_end_the_server) {
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

TEST_F(Servers, no_cyclesoak_at_the_other_end_is_told) {
    const auto listener = listen_tcp(base::read_addresses({"127.0.0.1", 0}).front());
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
    return error_of([] { listen_tcp(base::read_addresses({"::1", 0}).front()); }).empty();
}

TEST_F(Servers, work_over_ipv6) {
    if (!has_ipv6_loopback()) return;
    Listening server("::1");
    for (const auto kind : {Kind::stream, Kind::rr, Kind::udp})
        EXPECT_GT(*run_client(short_load(kind), {server.address()}, -1).bytes, 0);
}

} // namespace
} // namespace loads
