#include "agent/server.h"
#include "tests/agent/fixture.h"

#include <deque>

namespace agent {
namespace {

using namespace std::chrono_literals;

/// More than the buffers of a connection take.
constexpr size_t large = 16 << 20;

/// What clients do to a server.
class Clients : public Servers {
  protected:
    static std::map<std::string, Handler> with_large(std::shared_ptr<const std::string> body) {
        auto all = paths();
        all["/large"] = [body = std::move(body)] { return Reply{.body = body}; };
        return all;
    }
    Server::Options impatient() const {
        auto wanted = options();
        wanted.patience = 20ms;
        return wanted;
    }
};

TEST_F(Clients, that_are_slow_or_stuck_or_silent_hold_up_nobody) {
    const auto body = std::make_shared<const std::string>(large, 'x');
    Server server(options(), with_large(body));
    const auto address = server.addresses().at(0);
    const Client silent(address), slow(address), stuck(address), half_open(address);
    slow.send("GET /met");
    stuck.send(request_text("/large"));
    half_open.send("GET / HTTP/1.1\r\n");
    shutdown(half_open.fd(), SHUT_WR);
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(get(address, "/metrics").status, 200);
    slow.send("rics HTTP/1.0\r\n\r\n");
    EXPECT_EQ(parse_response(slow.receive()).body, "figures 1\n");
    EXPECT_EQ(get(address, "/large").body, *body);
}

TEST_F(Clients, that_send_a_byte_now_and_then_are_ended) {
    Server server(impatient(), paths());
    const Client in_first_line(server.addresses().at(0)), in_headers(server.addresses().at(0));
    in_headers.send("GET / HTTP/1.1\r\n");
    for (const auto* client : {&in_first_line, &in_headers})
        wait_until([&] { return !client->send("x"); });
}

TEST_F(Clients, that_upload_forever_are_ended) {
    Server server(impatient(), paths());
    const Client client(server.addresses().at(0));
    client.send(request_text("/", "Content-Length: 1000000000\r\n"));
    wait_until([&] { return !client.send("x"); });
}

TEST_F(Clients, that_say_nothing_are_ended) {
    Server server(impatient(), paths());
    EXPECT_EQ(Client(server.addresses().at(0)).receive(), "");
}

TEST_F(Clients, that_do_not_read_are_ended) {
    const auto body = std::make_shared<const std::string>(large, 'x');
    {
        Server server(impatient(), with_large(body));
        const Client client(server.addresses().at(0));
        client.send(request_text("/large"));
        client.wait_for_reset();
    }
    EXPECT_EQ(body.use_count(), 1);
}

TEST_F(Clients, share_the_body) {
    const auto body = std::make_shared<const std::string>(large, 'x');
    Server server(options(), with_large(body));
    const auto before = body.use_count();
    {
        const Client one(server.addresses().at(0)), other(server.addresses().at(0));
        one.send(request_text("/large"));
        other.send(request_text("/large"));
        wait_until([&] { return body.use_count() == before + 2; });
    }
    wait_until([&] { return body.use_count() == before; });
}

TEST_F(Clients, may_be_hundreds_of_which_many_never_read) {
    const auto body = std::make_shared<const std::string>(large, 'x');
    Server server(options(), with_large(body));
    const auto address = server.addresses().at(0);
    std::deque<Client> clients;
    for (int i = 0; i < 300; ++i) {
        clients.emplace_back(address);
        clients.back().send(
            request_text(i % 6 == 0 ? "/large" : "/metrics", "Connection: close\r\n"));
    }
    for (size_t i = 0; i < clients.size(); ++i)
        if (i % 6 != 0) {
            EXPECT_EQ(parse_response(clients[i].receive()).body, "figures 1\n") << i;
        }
}

TEST_F(Clients, beyond_the_limit_of_all_addresses_together_are_turned_away) {
    auto wanted = options();
    wanted.listen.push_back("127.0.0.1:0");
    wanted.most_connections = 3;
    Server server(wanted, paths());
    const auto one = server.addresses().at(0), other = server.addresses().at(1);
    std::deque<Client> clients;
    for (const auto& address : {one, one, other}) {
        clients.emplace_back(address);
        clients.back().send(request_text("/metrics"));
        clients.back().receive("figures 1\n");
    }
    EXPECT_EQ(get(one, "/").status, 0);
    EXPECT_EQ(get(other, "/").status, 0);
    clients.pop_front();
    wait_until([&] { return get(other, "/").status == 200; });
}

TEST_F(Clients, that_ask_for_too_much_get_a_short_answer_or_none) {
    Server server(options(), paths());
    const auto address = server.addresses().at(0);
    const std::string much(1 << 20, 'a');
    for (const auto& request :
         {"GET /" + much + " HTTP/1.1\r\n\r\n", request_text("/", "X: " + much + "\r\n"), much}) {
        const Client client(address);
        client.send(request);
        const auto reply = parse_response(client.receive());
        EXPECT_TRUE(reply.status == 0 || (reply.status >= 400 && reply.status < 500))
            << reply.status;
        EXPECT_LT(reply.body.size(), 1000u);
    }
    EXPECT_EQ(get(address, "/").status, 200);
}

TEST_F(Clients, that_bring_a_body_have_it_thrown_away) {
    Server server(options(), paths());
    const std::string much(1 << 20, 'a');
    for (const auto& [method, status] : {std::pair("GET", 200), {"HEAD", 200}, {"POST", 405}}) {
        const Client client(server.addresses().at(0));
        client.send(request_text("/", "Connection: close\r\nContent-Length: 1048576\r\n", method) +
                    much);
        EXPECT_EQ(parse_response(client.receive()).status, status) << method;
        const Client chunked(server.addresses().at(0));
        chunked.send(
            request_text("/", "Connection: close\r\nTransfer-Encoding: chunked\r\n", method) +
            "100000\r\n" + much + "\r\n0\r\n\r\n");
        EXPECT_EQ(parse_response(chunked.receive()).status, status) << method;
    }
}

TEST_F(Clients, that_talk_nonsense_are_refused) {
    auto wanted = options();
    // The library may miss that a client has closed its half behind the last byte.
    wanted.patience = 200ms;
    Server server(wanted, paths());
    const auto address = server.addresses().at(0);
    const std::string zeros(100, '\0');
    for (const std::string& nonsense :
         {std::string("\r\n\r\nhello\r\n\r\n"), std::string("GET\r\n\r\n"),
          std::string("GET / HTTP/9.9\r\n\r\n"), std::string("\x16\x03\x01\x02\r\n\r\n"),
          zeros + "\r\n\r\n", std::string("GET / HTTP/1.1\r\nno colon\r\n\r\n")}) {
        const Client client(address);
        client.send(nonsense);
        shutdown(client.fd(), SHUT_WR);
        EXPECT_NE(parse_response(client.receive()).status, 500) << nonsense;
    }
    wait_until([&] { return get(address, "/").status == 200; });
}

} // namespace
} // namespace agent
