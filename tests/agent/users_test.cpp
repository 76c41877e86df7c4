#include "agent/server.h"
#include "base/error.h"
#include "tests/agent/fixture.h"
#include "tests/agent/some_passwords.h"

#include <deque>

namespace agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A server with passwords.
class Users : public Servers {
  protected:
    void SetUp() override { write("users", "anna:" + bcrypt("right") + "\n"); }
    Server::Options with_users() const {
        auto wanted = options();
        wanted.users = file("users");
        return wanted;
    }
    static int status(const Server& server, const std::string& name_and_password) {
        return get(server.addresses().at(0), "/metrics", authorization(name_and_password)).status;
    }
};

TEST_F(Users, come_in_with_their_password) {
    Server server(with_users(), paths());
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(status(server, "anna:right"), 200);
        EXPECT_EQ(status(server, "anna:wrong"), 401);
        EXPECT_EQ(status(server, "bert:right"), 401);
    }
    const Client client(server.addresses().at(0));
    for (int i = 0; i < 2; ++i) {
        client.send(request_text("/metrics", authorization("anna:right")));
        EXPECT_THAT(client.receive("figures 1\n"), HasSubstr("200 OK"));
    }
}

TEST_F(Users, only_learn_anything) {
    Server server(with_users(), paths());
    const auto address = server.addresses().at(0);
    for (const char* header :
         {"", "Authorization: \r\n", "Authorization: Basic\r\n", "Authorization: Basic !\r\n",
          "Authorization: Bearer YW5uYTpyaWdodA==\r\n", "Authorization: Basic YW5uYQ==\r\n"})
        for (const char* path : {"/", "/metrics", "/nothing"}) {
            const auto reply = get(address, path, header);
            EXPECT_EQ(reply.status, 401) << header;
            EXPECT_EQ(reply.headers.at("www-authenticate"),
                      R"(Basic realm="cyclesoak", charset="UTF-8")");
        }
    EXPECT_EQ(get(address, "/", "", "POST").status, 401);
    EXPECT_EQ(get(address, "/nothing", authorization("anna:right")).status, 404);
}

TEST_F(Users, may_come_all_at_once) {
    Server server(with_users(), paths());
    std::deque<Client> clients;
    for (int i = 0; i < 100; ++i) {
        clients.emplace_back(server.addresses().at(0));
        clients.back().send(
            request_text("/metrics", "Connection: close\r\n" + authorization("anna:right")));
    }
    for (const auto& client : clients)
        EXPECT_EQ(parse_response(client.receive()).body, "figures 1\n");
}

TEST_F(Users, who_go_away_while_their_password_is_verified_do_no_harm) {
    Server server(with_users(), paths());
    for (int i = 0; i < 50; ++i) {
        const Client client(server.addresses().at(0));
        client.send(request_text("/metrics", authorization("anna:" + std::to_string(i))));
    }
    wait_until([&] { return status(server, "anna:right") == 200; });
}

TEST_F(Users, who_wait_do_not_hold_up_the_end) {
    write("users", "anna:" + bcrypt("right", "10") + "\n");
    Server server(with_users(), paths());
    const auto address = server.addresses().at(0);
    std::deque<Client> clients;
    for (int i = 0; i < 10; ++i) {
        clients.emplace_back(address);
        clients.back().send(request_text("/", authorization("anna:" + std::to_string(i))));
    }
    // By then the others' requests have been read.
    EXPECT_EQ(get(address, "/").status, 401);
    server.stop_threads();
    for (const auto& client : clients)
        client.receive();
    server.start_threads();
    EXPECT_EQ(status(server, "anna:right"), 200);
}

TEST_F(Users, change_with_the_file) {
    Server server(with_users(), paths());
    EXPECT_EQ(status(server, "anna:right"), 200);
    write("users", "anna:" + bcrypt("new") + "\n");
    EXPECT_THAT(tend(server), ElementsAre());
    EXPECT_EQ(status(server, "anna:right"), 401);
    EXPECT_EQ(status(server, "anna:new"), 200);
}

TEST_F(Users, stay_as_they_were_while_the_file_is_broken_or_gone) {
    Server server(with_users(), paths());
    write("users", "\nanna\n");
    EXPECT_THAT(tend(server), ElementsAre(HasSubstr("users:2: ")));
    EXPECT_THAT(tend(server), ElementsAre());
    EXPECT_EQ(status(server, "anna:right"), 200);
    remove("users");
    EXPECT_THAT(tend(server), ElementsAre(HasSubstr("cannot read " + file("users"))));
    EXPECT_THAT(tend(server), ElementsAre());
    EXPECT_EQ(status(server, "anna:right"), 200);
    SetUp();
    EXPECT_THAT(tend(server), ElementsAre());
    remove("users");
    EXPECT_THAT(tend(server), testing::SizeIs(1));
}

TEST_F(Users, must_be_readable_at_the_start) {
    write("users", "anna:secret\n");
    EXPECT_THAT(refusal<base::UsageError>(with_users()), HasSubstr("users:1: not a bcrypt hash"));
    remove("users");
    EXPECT_THAT(refusal<base::UsageError>(with_users()), HasSubstr("cannot read"));
}

} // namespace
} // namespace agent
