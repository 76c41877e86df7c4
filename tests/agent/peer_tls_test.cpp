#include "agent/peer.h"
#include "tests/agent/fixture.h"
#include "tests/agent/some_passwords.h"
#include "tests/agent/tls_client.h"

namespace agent {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A server of ours with a certificate and passwords, as a peer.
class PeerTls : public Servers {
  protected:
    void SetUp() override {
        const auto certificate = make_certificate("localhost");
        write("cert.pem", certificate.chain);
        write("key.pem", certificate.key);
        write("other.pem", make_certificate("localhost").chain);
        write("users", "anna:" + bcrypt("right") + "\n");
        write("right", "anna:right\n");
        write("wrong", "anna:wrong\n");
        auto wanted = options();
        wanted.tls_certificate = file("cert.pem");
        wanted.tls_key = file("key.pem");
        wanted.users = file("users");
        server_.emplace(wanted, paths());
    }
    void TearDown() override {
        server_.reset();
        Servers::TearDown();
    }
    /// What it answers, or why it does not.
    std::string fetched(const std::string& scheme, const std::optional<std::string>& ca,
                        const std::string& password) {
        const auto address = server_->addresses().at(0);
        Peer peer(read_peer_access(scheme + "localhost" + address.substr(address.rfind(':')), ca,
                                   file(password)));
        try {
            return peer.fetch("/", loop_).value_or("stopped");
        } catch (const PeerError& error) {
            return std::string("error: ") + error.what();
        }
    }

    std::optional<Server> server_;
    base::Loop loop_;
};

TEST_F(PeerTls, answers_one_that_knows_its_certificate_and_the_password) {
    EXPECT_EQ(fetched("https://", file("cert.pem"), "right"), "home\n");
    EXPECT_THAT(fetched("https://", file("cert.pem"), "wrong"), HasSubstr("refuses us"));
}

TEST_F(PeerTls, is_told_nothing_where_nobody_vouches_for_it) {
    // This system's certificates do not vouch for it, or there are none.
    EXPECT_THAT(fetched("https://", {}, "right"),
                AllOf(HasSubstr("error: "), HasSubstr("certificate")));
    EXPECT_THAT(fetched("https://", file("other.pem"), "right"), HasSubstr("error: "));
    EXPECT_THAT(fetched("http://", {}, "right"), HasSubstr("error: "));
}

} // namespace
} // namespace agent
