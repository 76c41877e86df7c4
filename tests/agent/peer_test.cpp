#include "agent/peer.h"
#include "base/error.h"
#include "base/files.h"
#include "tests/fake_agent.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>

namespace {

using namespace std::chrono_literals;
using agent::Peer;
using agent::PeerAccess;
using agent::read_peer_access;
using testing::HasSubstr;

class PeerTest : public testing::Test {
  protected:
    ~PeerTest() override { std::filesystem::remove_all(folder_); }

    std::string file(const std::string& name, const std::string& text) {
        base::replace_file(folder_ / name, text);
        return folder_ / name;
    }
    std::string url(const std::string& address) { return read_peer_access(address, {}, {}).url; }
    std::string usage_error(const std::string& address, const std::optional<std::string>& ca = {},
                            const std::optional<std::string>& password = {}) {
        try {
            read_peer_access(address, ca, password);
        } catch (const base::UsageError& error) {
            return error.what();
        }
        return "";
    }
    /// What is fetched from an agent that says that, or why nothing is.
    std::string fetched(const FakeAgent::Say& say) {
        const FakeAgent fake(say);
        auto access = read_peer_access(fake.address(), {}, password_);
        access.limits = limits_;
        Peer peer(access);
        try {
            return peer.fetch("/api/v1/totals", loop_).value_or("stopped");
        } catch (const agent::PeerError& error) {
            return std::string("error: ") + error.what();
        }
    }
    std::string fetched(const std::string& text) {
        return fetched([&](const std::string&) { return text; });
    }

    std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                    ("cyclesoak-peer-test-" + std::to_string(getpid()));
    base::Loop loop_;
    std::optional<std::string> password_;
    PeerAccess::Limits limits_;
};

TEST_F(PeerTest, understands_addresses) {
    EXPECT_EQ(url("host:12001"), "http://host:12001");
    EXPECT_EQ(url("127.0.0.1:1"), "http://127.0.0.1:1");
    EXPECT_EQ(url("[::1]:12001"), "http://[::1]:12001");
    EXPECT_EQ(url("http://host:12001/"), "http://host:12001");
    EXPECT_EQ(url("https://host:12001"), "https://host:12001");
    EXPECT_EQ(read_peer_access("host:12001", {}, {}).address, "host:12001");
}

TEST_F(PeerTest, refuses_what_is_no_address) {
    for (const char* text : {"", "host", ":12001", "host:", "host:0", "host:65536", "host:x",
                             "ftp://host:21", "file:///etc/passwd", "host:1/path", "host:1?a=b",
                             "host:1#a", "two words:1", "host:1\r\nX: y", "::1:5", "http://"})
        EXPECT_THAT(usage_error(text), HasSubstr("is not like host:12001")) << text;
}

TEST_F(PeerTest, refuses_a_password_on_the_command_line) {
    EXPECT_THAT(usage_error("me:secret@host:1"), HasSubstr("--peer-password-file"));
    EXPECT_THAT(usage_error("http://me@host:1"), HasSubstr("--peer-password-file"));
}

TEST_F(PeerTest, refuses_files_that_are_not_as_they_should_be) {
    EXPECT_THAT(usage_error("host:1", "/nowhere"), HasSubstr("--peer-ca: cannot read /nowhere"));
    EXPECT_THAT(usage_error("host:1", {}, "/nowhere"), HasSubstr("cannot read /nowhere"));
    for (const char* text : {"", "\n", "secret\n", ":secret\n", "\nme:secret\n"})
        EXPECT_THAT(usage_error("host:1", {}, file("password", text)),
                    HasSubstr("not like name:password"))
            << text;
}

TEST_F(PeerTest, fetches_what_stands_there) {
    EXPECT_EQ(fetched(FakeAgent::ok("hello")), "hello");
    EXPECT_EQ(fetched(FakeAgent::ok("")), "");
    EXPECT_EQ(fetched([](const std::string& request) {
                  return FakeAgent::ok(request.substr(0, request.find('\r')));
              }),
              "GET /api/v1/totals HTTP/1.1");
}

TEST_F(PeerTest, fetches_again_and_again) {
    const FakeAgent fake([](const std::string&) { return FakeAgent::ok("hello"); });
    Peer peer(read_peer_access(fake.address(), {}, {}));
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(peer.fetch("/", loop_), "hello");
    EXPECT_EQ(fake.asked(), 3);
}

TEST_F(PeerTest, says_its_name_and_password_only_where_it_has_one) {
    const auto credentials = [](const std::string& request) {
        return FakeAgent::ok(
            request.find("Authorization: Basic bWU6czplY3JldA==\r\n") != std::string::npos ? "known"
            : request.find("Authorization") != std::string::npos                           ? "wrong"
                                                                 : "unknown");
    };
    EXPECT_EQ(fetched(credentials), "unknown");
    password_ = file("password", "me:s:ecret\r\nanother line\n");
    EXPECT_EQ(fetched(credentials), "known");
}

TEST_F(PeerTest, says_why_it_is_refused) {
    EXPECT_THAT(fetched(FakeAgent::status("401 Unauthorized")),
                HasSubstr("refuses us without a name and password"));
    password_ = file("password", "me:secret");
    EXPECT_THAT(fetched(FakeAgent::status("401 Unauthorized")),
                HasSubstr("refuses us with this name and password"));
    EXPECT_THAT(fetched(FakeAgent::status("500 Internal Server Error")),
                HasSubstr("HTTP status 500"));
    EXPECT_THAT(fetched(FakeAgent::status("404 Not Found")), HasSubstr("HTTP status 404"));
}

TEST_F(PeerTest, does_not_follow) {
    const FakeAgent elsewhere([](const std::string&) { return FakeAgent::ok("elsewhere"); });
    EXPECT_THAT(fetched("HTTP/1.1 302 Found\r\nLocation: http://" + elsewhere.address() +
                        "/\r\nContent-Length: 0\r\n\r\n"),
                HasSubstr("HTTP status 302"));
    EXPECT_EQ(elsewhere.asked(), 0);
}

TEST_F(PeerTest, asks_no_proxy) {
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    EXPECT_EQ(fetched(FakeAgent::ok("hello")), "hello");
    unsetenv("http_proxy");
}

TEST_F(PeerTest, says_that_nobody_is_there) {
    Peer peer(read_peer_access("127.0.0.1:1", {}, {}));
    try {
        peer.fetch("/", loop_);
        FAIL();
    } catch (const agent::PeerError& error) {
        EXPECT_THAT(error.what(), HasSubstr("onnect"));
        EXPECT_THAT(error.what(), HasSubstr("127.0.0.1"));
    }
}

TEST_F(PeerTest, gives_up_on_one_who_speaks_something_else_or_dies) {
    EXPECT_THAT(fetched("rubbish\r\n\r\n"), HasSubstr("error: "));
    EXPECT_THAT(fetched(""), HasSubstr("error: "));
    EXPECT_THAT(fetched("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"),
                HasSubstr("error: "));
    limits_.whole = 300ms;
    EXPECT_THAT(fetched(FakeAgent::nothing), HasSubstr("did not answer in time"));
}

TEST_F(PeerTest, takes_no_more_than_it_wants) {
    limits_.bytes = 10'000;
    const std::string head = "HTTP/1.1 200 OK\r\n";
    EXPECT_THAT(fetched(head + "\r\n" + FakeAgent::endless), HasSubstr("longer than 10000 bytes"));
    EXPECT_THAT(fetched(head + "Content-Length: 100000\r\n\r\n" + FakeAgent::endless),
                HasSubstr("longer than 10000 bytes"));
    std::string headers;
    for (int i = 0; i < 1000; ++i)
        headers += "X-More: and more\r\n";
    EXPECT_THAT(fetched(head + headers + "\r\nbody"), HasSubstr("longer than 10000 bytes"));
}

TEST_F(PeerTest, leaves_its_socket_to_no_program_that_is_started_meanwhile) {
    const auto inherited = [] {
        int count = 0;
        for (int fd = 0; fd < 256; ++fd)
            count += fcntl(fd, F_GETFD) == 0; // open, and not close-on-exec
        return count;
    };
    const FakeAgent fake(
        [&](const std::string&) { return FakeAgent::ok(std::to_string(inherited())); });
    Peer peer(read_peer_access(fake.address(), {}, {}));
    const int before = inherited(); // with two that libcurl keeps for itself
    EXPECT_EQ(peer.fetch("/", loop_), std::to_string(before));
}

TEST_F(PeerTest, serves_the_loop_and_ends_when_that_is_stopped) {
    auto pipe = base::make_pipe();
    ASSERT_EQ(write(pipe.write.get(), "x", 1), 1);
    loop_.watch(pipe.read.get(), [&] { loop_.stop(); });
    EXPECT_EQ(fetched(FakeAgent::nothing), "stopped");
    EXPECT_EQ(fetched(FakeAgent::ok("hello")), "stopped");
    loop_.forget(pipe.read.get());
    loop_.resume();
    EXPECT_EQ(fetched(FakeAgent::ok("hello")), "hello");
}

} // namespace
