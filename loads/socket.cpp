#include "loads/socket.h"

#include "base/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <netinet/tcp.h>
#include <stdexcept>

namespace loads {
namespace {

void set_timeout(int fd, int name, Nanoseconds timeout) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(timeout);
    const timeval value{
        .tv_sec = whole.count(),
        .tv_usec = std::chrono::duration_cast<std::chrono::microseconds>(timeout - whole).count()};
    if (setsockopt(fd, SOL_SOCKET, name, &value, sizeof value) < 0)
        throw base::system_error("set a socket's time-out");
}

Descriptor make_socket(const Address& address, int type) {
    return base::make_descriptor(socket(address.family(), type | SOCK_CLOEXEC, 0), "socket");
}

void connect_socket(int fd, const Address& address) {
    if (connect(fd, address.data(), address.size()) == 0) return;
    // A connect() that the send time-out ended says so in its own way.
    throw base::system_error("connect to " + address.text(),
                             errno == EINPROGRESS ? ETIMEDOUT : errno);
}

void bind_socket(int fd, const Address& address) {
    if (bind(fd, address.data(), address.size()) < 0)
        throw base::system_error("bind to " + address.text());
}

} // namespace

void set_option(int fd, int level, int name, int value, const char* tried) {
    if (setsockopt(fd, level, name, &value, sizeof value) < 0) throw base::system_error(tried);
}

void set_receive_timeout(int fd, Nanoseconds timeout) { set_timeout(fd, SO_RCVTIMEO, timeout); }

Descriptor connect_tcp(const Address& address) {
    auto fd = make_socket(address, SOCK_STREAM);
    set_timeout(fd.get(), SO_SNDTIMEO, answer_patience);
    connect_socket(fd.get(), address);
    set_timeout(fd.get(), SO_SNDTIMEO, Nanoseconds::zero());
    set_option(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1, "set TCP_NODELAY");
    return fd;
}

Descriptor connect_udp(const Address& address) {
    auto fd = make_socket(address, SOCK_DGRAM);
    connect_socket(fd.get(), address);
    return fd;
}

Descriptor listen_tcp(const Address& address) {
    auto fd = make_socket(address, SOCK_STREAM);
    set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1, "set SO_REUSEADDR");
    bind_socket(fd.get(), address);
    if (listen(fd.get(), SOMAXCONN) < 0) throw base::system_error("listen on " + address.text());
    return fd;
}

Descriptor bind_udp(const Address& address) {
    auto fd = make_socket(address, SOCK_DGRAM);
    // A receiver that wakes up late shall not lose what came meanwhile. The kernel takes as much
    // of it as net.core.rmem_max allows.
    set_option(fd.get(), SOL_SOCKET, SO_RCVBUF, 4 << 20, "set SO_RCVBUF");
    bind_socket(fd.get(), address);
    return fd;
}

Descriptor accept_tcp(int listener) {
    set_receive_timeout(listener, answer_patience);
    auto fd = base::make_descriptor(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC),
                                    "accept a connection");
    set_option(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1, "set TCP_NODELAY");
    return fd;
}

void send_all(int fd, std::span<const char> data, int flags) {
    while (!data.empty()) {
        const auto sent = send(fd, data.data(), data.size(), flags | MSG_NOSIGNAL);
        if (sent < 0) throw base::system_error("send");
        data = data.subspan(static_cast<size_t>(sent));
    }
}

bool receive_exactly(int fd, std::span<char> data, int flags) {
    size_t done = 0;
    while (done < data.size()) {
        const auto got = recv(fd, data.data() + done, data.size() - done, flags);
        if (got == 0 && done == 0) return false;
        if (got == 0) throw std::runtime_error("the other end closed the connection");
        if (got > 0)
            done += static_cast<size_t>(got);
        else if (errno != EAGAIN || (flags & MSG_DONTWAIT) == 0)
            throw base::system_error("receive");
    }
    return true;
}

} // namespace loads
