#include "base/descriptor.h"
#include "base/error.h"
#include "exporters/pushgateway.h"

#include <gmock/gmock.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace {

using exporters::PushTarget;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A port of 127.0.0.1 that is bound, and answers connections if it listens, but nothing else.
class DeafPort {
  public:
    explicit DeafPort(bool listens) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
        auto* any = reinterpret_cast<sockaddr*>(&address);
        socklen_t size = sizeof(address);
        EXPECT_EQ(bind(socket_.get(), any, size), 0);
        EXPECT_EQ(getsockname(socket_.get(), any, &size), 0);
        EXPECT_EQ(listens ? listen(socket_.get(), 1) : 0, 0);
        port_ = ntohs(address.sin_port);
    }
    std::string url(const std::string& user = "") const {
        return "http://" + user + "127.0.0.1:" + std::to_string(port_);
    }

  private:
    base::Descriptor socket_;
    int port_ = 0;
};

std::string failure(const PushTarget& target) {
    try {
        target.push("a 1\n");
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

TEST(Pushgateway, keeps_a_group_by_job_and_instance) {
    EXPECT_EQ(PushTarget("http://gate:9091", "cyclesoak", "host-1").address(),
              "http://gate:9091/metrics/job/cyclesoak/instance/host-1");
    EXPECT_EQ(PushTarget("https://gate/behind/a/proxy/", "a job", "").address(),
              "https://gate/behind/a/proxy/metrics/job/a%20job");
}

TEST(Pushgateway, that_cannot_be_is_refused_at_once) {
    for (const char* url : {"", "gate", "ftp://gate", "file:///tmp/x", "http://", "http://gate:x",
                            "http://gate/?a=b", "http://gate/#a"})
        EXPECT_THROW(PushTarget(url, "job", ""), base::UsageError) << url;
    EXPECT_THROW(PushTarget("http://gate", "a/b", ""), base::UsageError);
    EXPECT_THROW(PushTarget("http://gate", "", ""), base::UsageError);
}

TEST(Pushgateway, that_is_not_there_is_told_with_its_address_but_no_password) {
    const DeafPort port(false);
    const auto what = failure(PushTarget(port.url("me:secret@"), "job", "host"));
    EXPECT_THAT(what, HasSubstr(port.url() + "/metrics/job/job/instance/host: "));
    EXPECT_THAT(what, AllOf(HasSubstr("onnect"), Not(HasSubstr("secret")), Not(HasSubstr("\n"))));
}

TEST(Pushgateway, that_never_answers_is_given_up) {
    const DeafPort port(true);
    EXPECT_THAT(failure(PushTarget(port.url(), "job", "host")), HasSubstr("timed out"));
}

} // namespace
