#pragma once

#include "agent/schedule.h"
#include "demand/account.h"
#include "probes/probes.h"
#include "probes/throttling.h"
#include "soak/instrument.h"

#include <functional>
#include <memory>

namespace agent {

/// What windows are taken with, and who hears of them.
struct Sampled {
    soak::Instrument& instrument;
    probes::Probes& probes;
    demand::Account& account;
    /// The CPU's number among the instrument's, and its window.
    std::function<void(size_t at, const soak::CpuWindow&)> on_window;
};

/// Takes soaked windows, step by step; the caller keeps the time.
class Sampler {
  public:
    virtual ~Sampler() = default;
    /// When the next step is due, by CLOCK_MONOTONIC.
    virtual Nanoseconds next() const = 0;
    virtual void step() = 0;
    /// Is a window open?
    virtual bool open() const = 0;
    /// Gives up what is open, and begins anew.
    virtual void restart() = 0;
    /// Windows in a row that the CPU's counter and the kernel's clock disagreed in.
    int clock_failures() const { return clock_failures_; }

  protected:
    int clock_failures_ = 0;
};

/// Short windows at random, one soaker at a time on each core, as the schedule has it.
std::unique_ptr<Sampler> make_random_sampler(const Sampled& sampled, const Schedule::Plan& plan,
                                             uint64_t seed);

/// All soakers all the time, in windows of a second.
std::unique_ptr<Sampler> make_constant_sampler(const Sampled& sampled);

} // namespace agent
