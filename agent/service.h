#pragma once

#include "base/time.h"

#include <optional>
#include <string>

namespace agent {

using base::Nanoseconds;

/// What a service manager is told, by systemd's protocol (sd_notify(3)). Does nothing where the
/// environment names no NOTIFY_SOCKET, and what cannot be delivered is no concern of ours. Times are
/// CLOCK_MONOTONIC's.
class Service {
  public:
    /// Reads the environment.
    Service();

    /// `status` is a line for people, as `systemctl status` shows it.
    void ready(const std::string& status) const;
    void say(const std::string& status) const;
    /// To be followed by ready(), whatever came of it.
    void reloading(Nanoseconds now) const;
    void stopping() const;

    /// How often alive() is to be called at least: half the time after which the manager would end
    /// us. nullopt: it does not watch.
    std::optional<Nanoseconds> watchdog() const { return watchdog_; }
    /// Tells so, unless it has just been told.
    void alive(Nanoseconds now);

  private:
    std::optional<Nanoseconds> watchdog_, told_alive_;
};

} // namespace agent
