#include "base/error.h"
#include "loads/ends.h"
#include "loads/socket.h"
#include "loads/source.h"
#include "loads/spin.h"

#include <netinet/tcp.h>

namespace loads {
namespace {

/// Returns once the other end has read everything and closed.
void wait_for_close(int fd) {
    shutdown(fd, SHUT_WR);
    char byte = 0;
    const auto got = recv(fd, &byte, 1, 0);
    if (got < 0) throw base::system_error("wait for the receiver");
}

std::optional<double> rate_of_one(const Options& options) {
    if (!options.rate) return std::nullopt;
    return *options.rate / static_cast<double>(options.streams);
}

} // namespace

void send_stream(const Options& options, int fd, const Stop& stop, Tally& tally) {
    const auto source = make_source(options, tally);
    if (options.cork) set_option(fd, IPPROTO_TCP, TCP_CORK, 1, "set TCP_CORK");
    Extra extra(options.extra);
    Turns turns(rate_of_one(options));
    while (turns.wait(source->next_bytes(), stop)) {
        const auto bytes = source->next_bytes();
        source->send_next(fd);
        tally.sent += static_cast<uint64_t>(bytes);
        extra.spend();
    }
    // What a cork holds back would make the wait for its memory, and for the end, longer.
    if (options.cork) set_option(fd, IPPROTO_TCP, TCP_CORK, 0, "unset TCP_CORK");
    source->finish(fd);
    wait_for_close(fd);
}

void receive_stream(const Options& options, int fd, const Stop&, Tally& tally) {
    std::vector<char> buffer(static_cast<size_t>(options.buffer_bytes));
    while (true) {
        const auto got = recv(fd, buffer.data(), buffer.size(), 0);
        if (got < 0) throw base::system_error("receive");
        if (got == 0) break;
        tally.bytes += static_cast<uint64_t>(got);
    }
    shutdown(fd, SHUT_RDWR);
}

} // namespace loads
