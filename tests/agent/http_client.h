#pragma once

#include "base/address.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/text.h"

#include <algorithm>
#include <map>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>

namespace agent {

struct Response {
    int status = 0;
    std::map<std::string, std::string> headers; ///< names in lower case
    std::string body;
};

/// What was received until the other end closed. Without a status line: status 0.
inline Response parse_response(const std::string& text) {
    Response response;
    const auto end = text.find("\r\n\r\n");
    if (!text.starts_with("HTTP/1.") || end == std::string::npos) return response;
    response.status = std::stoi(text.substr(9, 3));
    response.body = text.substr(end + 4);
    const auto head = text.substr(0, end);
    for (const auto line : base::lines(head)) {
        const auto colon = line.find(':');
        if (colon == line.npos) continue;
        std::string name(line.substr(0, colon));
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        response.headers[name] = base::trim(line.substr(colon + 1));
    }
    return response;
}

/// A TCP client that does what the test says, however improper.
class Client {
  public:
    explicit Client(const std::string& address) {
        const auto to = base::read_addresses(base::parse_endpoint(address)).front();
        socket_ =
            base::make_descriptor(::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
        // A test that waits for what does not come shall fail, not hang.
        const timeval patience{.tv_sec = 60, .tv_usec = 0};
        setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (connect(socket_.get(), to.data(), to.size()) < 0)
            throw base::system_error("connect to " + address);
    }

    int fd() const { return socket_.get(); }

    /// False: the other end does not take it any more.
    bool send(std::string_view text) const {
        while (!text.empty()) {
            const auto sent = ::send(fd(), text.data(), text.size(), MSG_NOSIGNAL);
            if (sent < 0) return false;
            text.remove_prefix(static_cast<size_t>(sent));
        }
        return true;
    }

    /// Until the other end closes or, if given, until `enough` was received.
    std::string receive(std::string_view enough = {}) const {
        std::string text;
        char piece[65536];
        while (enough.empty() || text.find(enough) == std::string::npos) {
            const auto size = recv(fd(), piece, sizeof piece, 0);
            if (size < 0 && errno == EAGAIN) throw std::runtime_error("nothing came");
            if (size <= 0) break;
            text.append(piece, static_cast<size_t>(size));
        }
        return text;
    }

    /// Waits until the connection is no more, without reading from it.
    void wait_for_reset() const {
        pollfd end{.fd = fd(), .events = 0};
        if (poll(&end, 1, 60'000) != 1) throw std::runtime_error("it was not reset");
    }

  private:
    base::Descriptor socket_;
};

inline std::string request_text(const std::string& path, const std::string& headers = "",
                                const std::string& method = "GET") {
    return method + " " + path + " HTTP/1.1\r\nHost: test\r\n" + headers + "\r\n";
}

/// `headers`: lines that end in \r\n.
inline Response get(const std::string& address, const std::string& path,
                    const std::string& headers = "", const std::string& method = "GET") {
    const Client client(address);
    client.send(request_text(path, "Connection: close\r\n" + headers, method));
    return parse_response(client.receive());
}

} // namespace agent
