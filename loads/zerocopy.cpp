#include "loads/zerocopy.h"

#include "base/error.h"
#include "loads/socket.h"

#include <cerrno>
#include <cstring>
#include <linux/errqueue.h>
#include <poll.h>
#include <stdexcept>

namespace loads {
namespace {

/// Completions come merged, so looking for them this often costs little.
constexpr uint64_t look_after_sends = 16;

/// The completion that a message of the error queue carries; nullptr if it is about something else.
const sock_extended_err* find_completion(msghdr& message) {
    for (auto* part = CMSG_FIRSTHDR(&message); part != nullptr;
         part = CMSG_NXTHDR(&message, part)) {
        const bool error = (part->cmsg_level == SOL_IP && part->cmsg_type == IP_RECVERR) ||
                           (part->cmsg_level == SOL_IPV6 && part->cmsg_type == IPV6_RECVERR);
        const auto* completion = reinterpret_cast<const sock_extended_err*>(CMSG_DATA(part));
        if (error && completion->ee_origin == SO_EE_ORIGIN_ZEROCOPY) return completion;
    }
    return nullptr;
}

} // namespace

void Zerocopy::send(int socket, std::span<const char> data) {
    if (!std::exchange(enabled_, true))
        set_option(socket, SOL_SOCKET, SO_ZEROCOPY, 1, "set SO_ZEROCOPY");
    while (!data.empty()) {
        const auto sent = ::send(socket, data.data(), data.size(), MSG_ZEROCOPY | MSG_NOSIGNAL);
        // Too much memory is pinned or too many completions wait: make room.
        if (sent < 0 && errno == ENOBUFS && pending_ > 0) {
            wait(socket);
            continue;
        }
        if (sent < 0) throw base::system_error("send with MSG_ZEROCOPY");
        data = data.subspan(static_cast<size_t>(sent));
        ++tally_.zerocopy_sends;
        if (++pending_ % look_after_sends == 0) reap(socket);
    }
}

void Zerocopy::finish(int socket) {
    while (pending_ > 0)
        wait(socket);
}

void Zerocopy::wait(int socket) {
    const auto before = pending_;
    pollfd errors{.fd = socket, .events = 0, .revents = 0};
    constexpr int patience_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(answer_patience).count();
    if (poll(&errors, 1, patience_ms) < 0) throw base::system_error("poll");
    reap(socket);
    if (pending_ == before) throw std::runtime_error("the kernel did not complete zero-copy sends");
}

void Zerocopy::reap(int socket) {
    while (true) {
        alignas(cmsghdr) char control[256];
        msghdr message{};
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        if (recvmsg(socket, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
            if (errno == EAGAIN) return;
            throw base::system_error("receive zero-copy completions");
        }
        const auto* completion = find_completion(message);
        if (completion == nullptr) continue;
        // First and last send that are completed; 32 bits that may wrap.
        const uint32_t sends = completion->ee_data - completion->ee_info + 1;
        pending_ -= sends;
        if ((completion->ee_code & SO_EE_CODE_ZEROCOPY_COPIED) != 0)
            tally_.zerocopy_copied += sends;
    }
}

} // namespace loads
