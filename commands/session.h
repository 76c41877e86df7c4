#pragma once

#include "base/loop.h"
#include "base/warning.h"
#include "commands/hold.h"
#include "commands/options.h"
#include "commands/progress.h"
#include "soak/instrument.h"

#include <optional>
#include <stdexcept>

namespace commands {

/// A CPU is so busy that its soaker hardly ever runs: nothing can be measured there now.
class TooBusyError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The instrument, ours alone and calibrated: what every measuring command begins with.
class Session {
  public:
    /// Starts the soakers; an agent that has the CPUs pauses meanwhile. Make it while the process has
    /// one thread. `record`: soakers that can record. Throws base::UsageError for CPUs or choices
    /// that cannot be, soak::HeldError where somebody else soaks.
    Session(const InstrumentOptions& options, Progress& progress, bool record = false);

    /// Takes the stored calibration if it is this machine's as it is now, else calibrates, stores
    /// that and says so. False if it was interrupted. Throws TooBusyError.
    bool prepare(base::Loop& loop, Progress& progress);
    /// Calibrates in any case, and stores.
    bool calibrate(base::Loop& loop, Progress& progress);

    /// What was measured contradicts the calibration: no later start will use it.
    void doubt_calibration(Progress& progress);

    /// The CPU's counter and the kernel's clock have parted: new soakers, timed by clock_gettime, in
    /// the place of the old ones, and a new calibration. False if it was interrupted.
    bool leave_counter(base::Loop& loop, Progress& progress);

    soak::Instrument& instrument() { return *instrument_; }
    base::Warnings warnings() const;

  private:
    void store(const soak::Calibration& calibration, Progress& progress);

    soak::Instrument::Options options_;
    std::optional<Hold> hold_;
    std::optional<soak::Instrument> instrument_;
    base::Warnings warnings_;
};

} // namespace commands
