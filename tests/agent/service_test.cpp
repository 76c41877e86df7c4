#include "agent/service.h"
#include "base/descriptor.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

#include <sys/socket.h>
#include <sys/un.h>

namespace agent {
namespace {

using namespace std::chrono_literals;

/// A service manager that keeps what it is told.
class Managed : public testing::Test {
  protected:
    Managed() {
        const auto path = folder_.root().at("notify");
        sockaddr_un address{.sun_family = AF_UNIX};
        path.native().copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
                  0);
        setenv("NOTIFY_SOCKET", path.c_str(), 1);
    }
    ~Managed() override {
        for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
            unsetenv(name);
    }
    static void watch(pid_t pid, const char* end_after_us) {
        setenv("WATCHDOG_PID", std::to_string(pid).c_str(), 1);
        setenv("WATCHDOG_USEC", end_after_us, 1);
    }
    std::string told() const {
        char text[200];
        const ssize_t size = recv(socket_.get(), text, sizeof text, MSG_DONTWAIT);
        return size < 0 ? "nothing" : std::string(text, static_cast<size_t>(size));
    }

  private:
    const RecordedRoot folder_;
    const base::Descriptor socket_ =
        base::make_descriptor(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
};

TEST_F(Managed, is_told_how_we_are) {
    const Service service;
    service.ready("soaking 1 %");
    EXPECT_EQ(told(), "READY=1\nSTATUS=soaking 1 %");
    service.say("paused\nREADY=0");
    EXPECT_EQ(told(), "STATUS=paused READY=0");
    service.reloading(12345678ns);
    EXPECT_EQ(told(), "RELOADING=1\nMONOTONIC_USEC=12345");
    service.stopping();
    EXPECT_EQ(told(), "STOPPING=1");
}

TEST_F(Managed, hears_that_we_live_as_often_as_it_must) {
    watch(getpid(), "4000000");
    Service service;
    EXPECT_EQ(service.watchdog(), 2s);
    service.alive(100s);
    EXPECT_EQ(told(), "WATCHDOG=1");
    service.alive(100900ms);
    EXPECT_EQ(told(), "nothing");
    service.alive(101s);
    EXPECT_EQ(told(), "WATCHDOG=1");
}

TEST_F(Managed, watches_only_if_it_says_so) {
    Service unwatched;
    EXPECT_EQ(unwatched.watchdog(), std::nullopt);
    unwatched.alive(100s);
    watch(getpid() + 1, "4000000");
    EXPECT_EQ(Service().watchdog(), std::nullopt) << "it watches another";
    watch(getpid(), "soon");
    EXPECT_EQ(Service().watchdog(), std::nullopt);
    EXPECT_EQ(told(), "nothing");
}

TEST_F(Managed, has_gone) {
    setenv("NOTIFY_SOCKET", "/absent", 1);
    Service().ready("");
    unsetenv("NOTIFY_SOCKET");
    Service().ready("");
    EXPECT_EQ(told(), "nothing");
}

} // namespace
} // namespace agent
