#include "base/error.h"
#include "loads/ends.h"
#include "loads/socket.h"
#include "loads/spin.h"

#include <algorithm>
#include <cerrno>

namespace loads {
namespace {

/// Room for `count` datagrams of `size` bytes, as sendmmsg and recvmmsg want it.
class Batch {
  public:
    Batch(size_t count, size_t size) : data_(count * size, 'x'), pieces_(count), messages_(count) {
        for (size_t i = 0; i < count; ++i) {
            pieces_[i] = {data_.data() + i * size, size};
            messages_[i].msg_hdr.msg_iov = &pieces_[i];
            messages_[i].msg_hdr.msg_iovlen = 1;
        }
    }

    mmsghdr* messages() { return messages_.data(); }
    unsigned count() const { return static_cast<unsigned>(messages_.size()); }

  private:
    std::vector<char> data_;
    std::vector<iovec> pieces_;
    std::vector<mmsghdr> messages_;
};

Batch make_batch(const Options& options) {
    return {static_cast<size_t>(options.batch), static_cast<size_t>(options.datagram_bytes)};
}

/// Once stopped, a receiver takes what is still there; but not for ever, for a sender that knows
/// of no end may go on.
class Drain {
  public:
    explicit Drain(const Stop& stop) : stop_(stop) {}

    bool over() {
        if (!stop_.stopped()) return false;
        const auto now = base::monotonic_now();
        until_ = std::min(until_, now + std::chrono::seconds(1));
        return now >= until_;
    }

  private:
    const Stop& stop_;
    Nanoseconds until_ = Nanoseconds::max();
};

} // namespace

void send_datagrams(const Options& options, int fd, const Stop& stop, Tally& tally) {
    auto batch = make_batch(options);
    Extra extra(options.extra);
    Turns turns(options.rate);
    while (turns.wait(options.batch, stop)) {
        const int sent = sendmmsg(fd, batch.messages(), batch.count(), MSG_NOSIGNAL);
        // No room on the way: what was not sent is not counted as sent.
        if (sent < 0 && errno != ENOBUFS) throw base::system_error("send datagrams");
        if (sent > 0) tally.sent += static_cast<uint64_t>(sent);
        extra.spend(options.batch);
    }
}

void receive_datagrams(const Options& options, int fd, const Stop& stop, Tally& tally) {
    // A datagram that is still under way so long after the sender's end counts as lost.
    set_receive_timeout(fd, std::chrono::milliseconds(100));
    if (!connect_to_sender(fd, stop)) return;
    auto batch = make_batch(options);
    Drain drain(stop);
    while (!drain.over()) {
        const int got = recvmmsg(fd, batch.messages(), batch.count(), MSG_WAITFORONE, nullptr);
        if (got < 0 && errno != EAGAIN) throw base::system_error("receive datagrams");
        if (got < 0 && stop.stopped()) return;
        for (int i = 0; i < got; ++i)
            tally.bytes += batch.messages()[i].msg_len;
        if (got > 0) tally.packets += static_cast<uint64_t>(got);
    }
}

} // namespace loads
