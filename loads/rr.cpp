#include "base/error.h"
#include "loads/ends.h"
#include "loads/socket.h"
#include "loads/spin.h"

#include <cerrno>
#include <stdexcept>

namespace loads {
namespace {

using std::chrono::milliseconds;

/// After so long a datagram counts as lost.
constexpr Nanoseconds datagram_patience = milliseconds(200);

std::vector<char> make_buffer(int64_t bytes) {
    return std::vector<char>(static_cast<size_t>(bytes), 'x');
}

/// True if the kernel polls for this socket from now on. It can where packets come from a device
/// queue that it knows of (not over loopback), once one has come, and if it lets us.
bool start_kernel_polling(int fd) {
    unsigned queue = 0;
    socklen_t size = sizeof queue;
    constexpr int enough_us = 100'000;
    constexpr int on = 1;
    return getsockopt(fd, SOL_SOCKET, SO_INCOMING_NAPI_ID, &queue, &size) == 0 && queue != 0 &&
           setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &enough_us, sizeof enough_us) == 0 &&
           setsockopt(fd, SOL_SOCKET, SO_PREFER_BUSY_POLL, &on, sizeof on) == 0;
}

/// How to wait for the other end: asleep, by the kernel's polling or by our own. Which polling is
/// possible shows after the first packet.
class Waiting {
  public:
    explicit Waiting(const Options& options) : flags_(options.busy_poll ? MSG_DONTWAIT : 0) {}

    int flags() const { return flags_; }
    void packet_came(int fd, Tally& tally) {
        if (known_ || flags_ == 0) return;
        known_ = true;
        tally.kernel_polled = start_kernel_polling(fd);
        if (tally.kernel_polled) flags_ = 0;
    }

  private:
    int flags_;
    bool known_ = false;
};

/// Runs `transact` (true: done; false: try again) at the rate and with the extra CPU time asked
/// for. One clock reading a transaction where neither is asked for.
void transact_until_stopped(const Options& options, const Stop& stop, Tally& tally,
                            auto&& transact) {
    Extra extra(options.extra);
    Turns turns(options.rate);
    const bool back_to_back = !options.rate && options.extra == Nanoseconds::zero();
    auto start = base::monotonic_now();
    while (turns.wait(1, stop)) {
        extra.spend();
        if (!back_to_back) start = base::monotonic_now();
        if (!transact()) return;
        const auto now = base::monotonic_now();
        tally.latency.add(now - start);
        start = now;
        ++tally.transactions;
    }
}

void count_bytes(const Options& options, Tally& tally) {
    tally.bytes =
        tally.transactions * static_cast<uint64_t>(options.request_bytes + options.response_bytes);
}

/// One datagram, or nothing: false once `deadline` is over. With MSG_DONTWAIT it spins; else the
/// socket's time-out is what is waited for at once.
bool receive_datagram(int fd, std::vector<char>& data, int flags, Nanoseconds deadline) {
    while (true) {
        if (recv(fd, data.data(), data.size(), flags) >= 0) return true;
        if (errno != EAGAIN) throw base::system_error("receive a datagram");
        if (base::monotonic_now() >= deadline) return false;
    }
}

} // namespace

void ask(const Options& options, int fd, const Stop& stop, Tally& tally) {
    const auto request = make_buffer(options.request_bytes);
    auto response = make_buffer(options.response_bytes);
    Waiting waiting(options);
    transact_until_stopped(options, stop, tally, [&] {
        send_all(fd, request);
        if (!receive_exactly(fd, response, waiting.flags()))
            throw std::runtime_error("the other end closed the connection");
        waiting.packet_came(fd, tally);
        return true;
    });
    count_bytes(options, tally);
    shutdown(fd, SHUT_RDWR);
}

void respond(const Options& options, int fd, const Stop&, Tally& tally) {
    auto request = make_buffer(options.request_bytes);
    const auto response = make_buffer(options.response_bytes);
    Waiting waiting(options);
    while (receive_exactly(fd, request, waiting.flags())) {
        send_all(fd, response);
        ++tally.transactions;
        waiting.packet_came(fd, tally);
    }
    count_bytes(options, tally);
}

// A request's first byte numbers it and comes back with the response, so that a response that was
// given up for lost and comes late is not taken for the next one's.
void ask_datagrams(const Options& options, int fd, const Stop& stop, Tally& tally) {
    auto request = make_buffer(options.request_bytes);
    auto response = make_buffer(options.response_bytes);
    set_receive_timeout(fd, datagram_patience);
    Waiting waiting(options);
    transact_until_stopped(options, stop, tally, [&] {
        ++request[0];
        while (!stop.stopped()) {
            if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0)
                throw base::system_error("send a datagram");
            const auto deadline = base::monotonic_now() + datagram_patience;
            while (receive_datagram(fd, response, waiting.flags(), deadline)) {
                waiting.packet_came(fd, tally);
                if (response[0] == request[0]) return true;
            }
            ++tally.resent;
        }
        return false;
    });
    count_bytes(options, tally);
}

void respond_datagrams(const Options& options, int fd, const Stop& stop, Tally& tally) {
    auto request = make_buffer(options.request_bytes);
    auto response = make_buffer(options.response_bytes);
    set_receive_timeout(fd, milliseconds(100));
    Waiting waiting(options);
    if (!connect_to_sender(fd, stop)) return;
    while (!stop.stopped()) {
        const auto deadline = base::monotonic_now() + milliseconds(100);
        if (!receive_datagram(fd, request, waiting.flags(), deadline)) continue;
        waiting.packet_came(fd, tally);
        response[0] = request[0];
        if (send(fd, response.data(), response.size(), MSG_NOSIGNAL) < 0)
            throw base::system_error("send a datagram");
        ++tally.transactions;
    }
    count_bytes(options, tally);
}

} // namespace loads
