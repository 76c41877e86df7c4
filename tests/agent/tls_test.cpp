#include "agent/server.h"
#include "base/error.h"
#include "tests/agent/fixture.h"
#include "tests/agent/some_passwords.h"
#include "tests/agent/tls_client.h"

namespace agent {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

/// A server with a certificate.
class Tls : public Servers {
  protected:
    void SetUp() override { write_certificate(make_certificate("first")); }
    void write_certificate(const Certificate& certificate) const {
        write("cert.pem", certificate.chain);
        write("key.pem", certificate.key);
    }
    Server::Options with_tls() const {
        auto wanted = options();
        wanted.tls_certificate = file("cert.pem");
        wanted.tls_key = file("key.pem");
        return wanted;
    }
    static std::string name_at(const Server& server) {
        return TlsClient(server.addresses().at(0)).server_name();
    }
};

TEST_F(Tls, carries_requests) {
    Server server(with_tls(), paths());
    const TlsClient client(server.addresses().at(0));
    EXPECT_EQ(client.server_name(), "first");
    client.send(request_text("/metrics"));
    EXPECT_THAT(client.receive("figures 1\n"), HasSubstr("200 OK"));
    client.send(request_text("/", "Connection: close\r\n"));
    EXPECT_EQ(parse_response(client.receive()).body, "home\n");
}

TEST_F(Tls, goes_with_passwords) {
    write("users", "anna:" + bcrypt("right") + "\n");
    auto wanted = with_tls();
    wanted.users = file("users");
    Server server(wanted, paths());
    for (const auto& [password, status] : {std::pair("right", 200), {"wrong", 401}}) {
        const TlsClient client(server.addresses().at(0));
        client.send(request_text("/metrics", "Connection: close\r\n" +
                                                 authorization(std::string("anna:") + password)));
        EXPECT_EQ(parse_response(client.receive()).status, status);
    }
}

TEST_F(Tls, is_not_to_be_had_without_or_in_an_old_version) {
    Server server(with_tls(), paths());
    EXPECT_EQ(get(server.addresses().at(0), "/").status, 0);
    EXPECT_THROW(TlsClient(server.addresses().at(0), "NORMAL:-VERS-ALL:+VERS-TLS1.1"),
                 std::runtime_error);
    EXPECT_EQ(name_at(server), "first");
}

TEST_F(Tls, does_not_wait_for_a_handshake) {
    auto wanted = with_tls();
    Server server(wanted, paths());
    const Client silent(server.addresses().at(0));
    silent.send("\x16\x03\x01");
    EXPECT_EQ(name_at(server), "first");
    wanted.patience = 20ms;
    Server impatient(wanted, paths());
    const Client ended(impatient.addresses().at(0));
    ended.send("\x16\x03\x01");
    ended.receive();
}

TEST_F(Tls, refuses_at_the_start_what_does_not_fit) {
    const auto other = make_certificate("other");
    write("key.pem", other.key);
    EXPECT_THAT(refusal<base::UsageError>(with_tls()),
                testing::AllOf(HasSubstr("cert.pem"), HasSubstr("key.pem")));
    write("key.pem", "nonsense");
    EXPECT_THAT(refusal<base::UsageError>(with_tls()),
                HasSubstr("no usable key in " + file("key.pem")));
    write("cert.pem", "nonsense");
    EXPECT_THAT(refusal<base::UsageError>(with_tls()),
                HasSubstr("no certificate in " + file("cert.pem")));
    remove("cert.pem");
    EXPECT_THAT(refusal<base::UsageError>(with_tls()),
                HasSubstr("cannot read " + file("cert.pem")));
}

TEST_F(Tls, takes_up_a_new_certificate) {
    Server server(with_tls(), paths());
    const auto address = server.addresses().at(0);
    write_certificate(make_certificate("second"));
    EXPECT_EQ(name_at(server), "first");
    EXPECT_THAT(tend(server), ElementsAre());
    EXPECT_EQ(name_at(server), "second");
    EXPECT_EQ(server.addresses().at(0), address);

    server.stop_threads();
    write_certificate(make_certificate("third"));
    EXPECT_THAT(tend(server), ElementsAre());
    wait_until([&] { return count_entries("proc/self/task") == threads(); });
    server.start_threads();
    EXPECT_EQ(name_at(server), "third");
}

TEST_F(Tls, keeps_the_old_certificate_while_the_new_one_is_broken) {
    Server server(with_tls(), paths());
    const auto second = make_certificate("second");
    write("cert.pem", second.chain);
    EXPECT_THAT(tend(server), ElementsAre(HasSubstr("do not fit")));
    EXPECT_THAT(tend(server), ElementsAre());
    EXPECT_EQ(name_at(server), "first");
    remove("key.pem");
    EXPECT_THAT(tend(server), ElementsAre(HasSubstr("cannot read")));
    write("key.pem", second.key);
    EXPECT_THAT(tend(server), ElementsAre());
    EXPECT_EQ(name_at(server), "second");
}

} // namespace
} // namespace agent
