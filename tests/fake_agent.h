#pragma once

#include "base/descriptor.h"
#include "base/error.h"

#include <array>
#include <atomic>
#include <functional>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>

/// An HTTP server of one thread on 127.0.0.1 that says what a test wants, however wrong that is:
/// one request a connection, one connection at a time.
class FakeAgent {
  public:
    /// What to say to a request, its head as it came. It is sent as it is and the connection closed.
    using Say = std::function<std::string(const std::string& request)>;

    explicit FakeAgent(Say say) : say_(std::move(say)) {
        listener_ = base::make_descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
        sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        auto* const data = reinterpret_cast<sockaddr*>(&address);
        if (bind(listener_.get(), data, size) != 0 || listen(listener_.get(), 16) != 0 ||
            getsockname(listener_.get(), data, &size) != 0)
            throw base::system_error("listen");
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    FakeAgent(const FakeAgent&) = delete;
    FakeAgent& operator=(const FakeAgent&) = delete;
    ~FakeAgent() {
        stopped_ = true;
        thread_.join();
    }

    std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    int asked() const { return asked_; }

    /// Body or not, then as much as the client takes.
    static constexpr auto endless = "ENDLESS";
    /// Waits until the client goes or the test ends.
    static constexpr auto nothing = "NOTHING";

    static std::string ok(const std::string& body) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\nConnection: close\r\n\r\n" + body;
    }
    static std::string status(const std::string& line) {
        return "HTTP/1.1 " + line + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    }

  private:
    bool ready(int fd, short events) const {
        pollfd polled{fd, events, 0};
        while (!stopped_)
            if (poll(&polled, 1, 20) > 0) return true;
        return false;
    }

    void serve() {
        while (ready(listener_.get(), POLLIN)) {
            const base::Descriptor client(
                accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (client) answer(client.get());
        }
    }

    void answer(int fd) {
        std::string request;
        std::array<char, 4096> buffer;
        while (request.find("\r\n\r\n") == std::string::npos) {
            if (!ready(fd, POLLIN)) return;
            const ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
            if (got <= 0) return;
            request.append(buffer.data(), static_cast<size_t>(got));
        }
        ++asked_;
        std::string text = say_(request);
        const auto mark = text.find(endless);
        if (text == nothing) {
            ready(fd, POLLIN); // its end
            return;
        }
        if (mark != text.npos) text.resize(mark);
        if (say(fd, text) && mark != text.npos)
            while (say(fd, std::string(4096, 'x'))) {
            }
    }

    bool say(int fd, std::string_view text) const {
        while (!text.empty()) {
            if (!ready(fd, POLLOUT)) return false;
            const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            text.remove_prefix(static_cast<size_t>(sent));
        }
        return true;
    }

    Say say_;
    base::Descriptor listener_;
    uint16_t port_ = 0;
    std::atomic<bool> stopped_ = false;
    std::atomic<int> asked_ = 0;
    std::thread thread_;
};
