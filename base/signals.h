#pragma once

#include "base/descriptor.h"
#include "base/loop.h"

#include <csignal>
#include <optional>

namespace base {

/// What a program was started with, and what it should start others with: exec keeps the mask and
/// what is ignored, so a shell's nohup or a blocked signal must not get lost or grow on the way.
struct OriginalSignals {
    sigset_t blocked;
    sigset_t ignored;
};

/// To be read first of all in main.
OriginalSignals read_signals();

/// Back to the original mask and dispositions (handlers become defaults, as exec makes them).
/// Async-signal-safe: for a child between fork and exec.
void restore_signals(const OriginalSignals& original) noexcept;

/// No signal is delivered to the calling thread any more.
void block_signals();

/// SIGINT, SIGTERM and SIGHUP as readable events instead of interruptions. Those that were ignored
/// at the start (nohup, a shell's background job) stay ignored. Blocks them in the calling thread
/// and in threads it starts later, until the end of its life.
class Signals {
  public:
    explicit Signals(const OriginalSignals& original);
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;
    ~Signals();

    /// For Loop::watch: readable when a signal is waiting.
    int fd() const { return fd_.get(); }
    /// The next waiting signal, or nullopt; never blocks.
    std::optional<int> take();

  private:
    sigset_t before_;
    Descriptor fd_;
};

/// A signal stops the loop.
void stop_at_signals(Loop& loop, Signals& signals);

} // namespace base
