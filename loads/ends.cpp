#include "loads/ends.h"

#include "base/error.h"
#include "loads/socket.h"

#include <cerrno>

namespace loads {
namespace {

using End = void (*)(const Options&, int, const Stop&, Tally&);

Work bind_end(End end, const Options& options) {
    return [=](int fd, const Stop& stop, Tally& tally) { end(options, fd, stop, tally); };
}

} // namespace

bool over_datagrams(const Options& options) {
    return options.kind == Kind::udp || (options.kind == Kind::rr && options.over_udp);
}

int64_t connections(const Options& options) {
    return options.kind == Kind::stream ? options.streams : 1;
}

Work make_client(const Options& options) {
    if (options.kind == Kind::stream) return bind_end(send_stream, options);
    if (options.kind == Kind::udp) return bind_end(send_datagrams, options);
    return bind_end(options.over_udp ? ask_datagrams : ask, options);
}

Work make_server(const Options& options) {
    if (options.kind == Kind::stream) return bind_end(receive_stream, options);
    if (options.kind == Kind::udp) return bind_end(receive_datagrams, options);
    return bind_end(options.over_udp ? respond_datagrams : respond, options);
}

Turns::Turns(std::optional<double> units_per_second) {
    if (units_per_second) pacer_.emplace(*units_per_second, base::monotonic_now());
}

bool Turns::wait(int64_t units, const Stop& stop) {
    if (!pacer_) return !stop.stopped();
    const auto now = base::monotonic_now();
    const auto due = pacer_->next(units, now);
    return due > now ? stop.sleep_until(due) : !stop.stopped();
}

bool connect_to_sender(int fd, const Stop& stop) {
    sockaddr_storage sender{};
    socklen_t size = sizeof sender;
    auto* address = reinterpret_cast<sockaddr*>(&sender);
    while (recvfrom(fd, nullptr, 0, MSG_PEEK, address, &size) < 0) {
        if (errno != EAGAIN) throw base::system_error("receive");
        if (stop.stopped()) return false;
    }
    if (connect(fd, address, size) < 0) throw base::system_error("connect to the sender");
    return true;
}

} // namespace loads
