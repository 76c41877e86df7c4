#include "agent/server.h"
#include "base/error.h"
#include "tests/agent/fixture.h"

namespace agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class AServer : public Servers {};

TEST_F(AServer, answers_its_paths) {
    Server server(options(), paths());
    const auto address = server.addresses().at(0);
    const auto reply = get(address, "/metrics?a=b");
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "figures 1\n");
    EXPECT_EQ(reply.headers.at("content-type"), "text/plain; charset=utf-8");
    EXPECT_EQ(reply.headers.at("cache-control"), "no-store");
    EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff");
    EXPECT_TRUE(reply.headers.at("content-security-policy").starts_with("default-src 'none';"));
    EXPECT_EQ(get(address, "/").body, "home\n");
    EXPECT_EQ(get(address, "/page").headers.at("content-type"), "text/html");
    EXPECT_EQ(get(address, "/page").body, "");
    EXPECT_EQ(get(address, "/unready").status, 503);
}

TEST_F(AServer, answers_one_request_after_the_other_over_a_connection) {
    Server server(options(), paths());
    const Client client(server.addresses().at(0));
    for (int i = 0; i < 3; ++i) {
        client.send(request_text("/metrics"));
        EXPECT_THAT(client.receive("figures 1\n"), HasSubstr("200 OK"));
    }
    client.send(request_text("/") + request_text("/metrics", "Connection: close\r\n"));
    EXPECT_THAT(client.receive(), testing::ContainsRegex("home\n(.|\n)*figures 1\n"));
}

TEST_F(AServer, answers_head_without_a_body) {
    Server server(options(), paths());
    const auto reply = get(server.addresses().at(0), "/metrics", "", "HEAD");
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.headers.at("content-length"), "10");
    EXPECT_EQ(reply.body, "");
}

TEST_F(AServer, refuses_what_it_does_not_have) {
    Server server(options(), paths());
    const auto address = server.addresses().at(0);
    for (const char* path :
         {"/metric", "/metrics/", "//", "/../etc/passwd", "/%2e%2e/etc/passwd", "*"})
        EXPECT_EQ(get(address, path).status, 404) << path;
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW"}) {
        const auto reply = get(address, "/metrics", "", method);
        EXPECT_EQ(reply.status, 405) << method;
        EXPECT_EQ(reply.headers.at("allow"), "GET, HEAD");
    }
}

TEST_F(AServer, tells_nothing_of_what_went_wrong_inside) {
    Server server(options(), paths());
    const auto reply = get(server.addresses().at(0), "/broken");
    EXPECT_EQ(reply.status, 500);
    EXPECT_THAT(reply.body, testing::Not(HasSubstr("secret")));
    EXPECT_EQ(get(server.addresses().at(0), "/").status, 200);
}

TEST_F(AServer, listens_at_several_addresses) {
    auto wanted = options();
    wanted.listen.push_back("127.0.0.1:0");
    Server server(wanted, paths());
    ASSERT_EQ(server.addresses().size(), 2u);
    EXPECT_NE(server.addresses()[0], server.addresses()[1]);
    for (const auto& address : server.addresses())
        EXPECT_EQ(get(address, "/").status, 200);
}

TEST_F(AServer, says_which_port_is_in_use) {
    Server server(options(), paths());
    auto same = options();
    same.listen = {server.addresses().at(0)};
    EXPECT_THAT(refusal<std::system_error>(same),
                testing::AllOf(HasSubstr(server.addresses().at(0)), HasSubstr("in use")));
}

TEST_F(AServer, refuses_options_that_cannot_be) {
    for (const char* address : {"", "127.0.0.1", "host:99999", "::1:80"})
        EXPECT_NE(refusal<base::UsageError>({.listen = {address}}), "") << address;
    EXPECT_NE(refusal<base::UsageError>({.listen = {}}), "");
    auto alone = options();
    alone.tls_key = "key.pem";
    EXPECT_THAT(refusal<base::UsageError>(alone), HasSubstr("certificate"));
}

TEST_F(AServer, has_no_threads_while_they_are_stopped_but_goes_on_listening) {
    Server server(options(), paths());
    const Client before(server.addresses().at(0));
    before.send(request_text("/metrics"));
    before.receive("figures 1\n");

    server.stop_threads();
    wait_until([&] { return count_entries("proc/self/task") == threads(); });
    EXPECT_EQ(before.receive(), "");
    const Client meanwhile(server.addresses().at(0));
    meanwhile.send(request_text("/", "Connection: close\r\n"));
    EXPECT_THAT(tend(server), ElementsAre());

    server.start_threads();
    EXPECT_EQ(parse_response(meanwhile.receive()).body, "home\n");
    EXPECT_EQ(get(server.addresses().at(0), "/").status, 200);
    server.start_threads();
    server.stop_threads();
    server.stop_threads();
}

} // namespace
} // namespace agent
