#include "base/loop.h"

#include "base/error.h"

#include <algorithm>
#include <poll.h>
#include <vector>

namespace base {

void Loop::watch(int fd, std::function<void()> readable) {
    watched_[fd] = std::make_shared<std::function<void()>>(std::move(readable));
}

void Loop::forget(int fd) { watched_.erase(fd); }

bool Loop::run_until(Nanoseconds deadline) {
    while (!stopped_) {
        wait(std::max(deadline - monotonic_now(), Nanoseconds::zero()));
        if (!stopped_ && monotonic_now() >= deadline) return true;
    }
    return false;
}

void Loop::wait(Nanoseconds patience) {
    std::vector<pollfd> polled;
    for (const auto& [fd, readable] : watched_)
        polled.push_back({fd, POLLIN, 0});
    const auto whole = std::chrono::floor<std::chrono::seconds>(patience);
    const timespec timeout{.tv_sec = whole.count(), .tv_nsec = (patience - whole).count()};
    if (ppoll(polled.data(), polled.size(), &timeout, nullptr) < 0 && errno != EINTR)
        throw system_error("ppoll");
    for (const auto& entry : polled) {
        // An earlier callback may have forgotten this descriptor.
        const auto found = watched_.find(entry.fd);
        if (entry.revents == 0 || found == watched_.end()) continue;
        const auto readable = found->second;
        (*readable)();
    }
}

} // namespace base
