#pragma once

#include "base/time.h"

#include <functional>
#include <map>
#include <memory>

namespace base {

/// The program's one wait: sleeps until a deadline and serves descriptors meanwhile.
/// Single-threaded; callbacks may watch, forget and stop.
class Loop {
  public:
    /// Calls `readable` whenever `fd` has input or was hung up. `fd` stays the caller's.
    void watch(int fd, std::function<void()> readable);
    void forget(int fd);

    /// Serves until CLOCK_MONOTONIC reads `deadline` (true) or stop() was called (false); what is
    /// ready is served even when the deadline has passed.
    bool run_until(Nanoseconds deadline);

    /// Ends the current run_until and every later one, until resume().
    void stop() { stopped_ = true; }
    void resume() { stopped_ = false; }
    bool stopped() const { return stopped_; }

  private:
    void wait(Nanoseconds patience);

    /// Shared with a call that is under way: it may forget itself.
    std::map<int, std::shared_ptr<std::function<void()>>> watched_;
    bool stopped_ = false;
};

} // namespace base
