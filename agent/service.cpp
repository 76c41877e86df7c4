#include "agent/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <systemd/sd-daemon.h>

namespace agent {
namespace {

/// The variables stay: we read them more than once and start no other program.
void notify(const std::string& state) { sd_notify(false, state.c_str()); }

std::string status_line(std::string status) {
    std::replace(status.begin(), status.end(), '\n', ' '); // a line is a variable
    return "STATUS=" + status;
}

} // namespace

Service::Service() {
    uint64_t end_after_us = 0;
    if (sd_watchdog_enabled(false, &end_after_us) > 0)
        watchdog_ = std::chrono::microseconds(end_after_us) / 2;
}

void Service::ready(const std::string& status) const { notify("READY=1\n" + status_line(status)); }

void Service::say(const std::string& status) const { notify(status_line(status)); }

void Service::reloading(Nanoseconds now) const {
    notify(fmt::format("RELOADING=1\nMONOTONIC_USEC={}",
                       std::chrono::floor<std::chrono::microseconds>(now).count()));
}

void Service::stopping() const { notify("STOPPING=1"); }

void Service::alive(Nanoseconds now) {
    // Asked as rarely as allowed and just too early, the next time is still soon enough.
    if (!watchdog_ || (told_alive_ && now - *told_alive_ < *watchdog_ / 2)) return;
    notify("WATCHDOG=1");
    told_alive_ = now;
}

} // namespace agent
