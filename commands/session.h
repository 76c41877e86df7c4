#pragma once

#include "base/loop.h"
#include "base/warning.h"
#include "commands/options.h"
#include "commands/progress.h"
#include "soak/holder.h"
#include "soak/instrument.h"

#include <optional>

namespace commands {

/// The instrument, ours alone and calibrated: what every measuring command begins with.
class Session {
  public:
    /// Starts the soakers. Make it while the process has one thread. `record`: soakers that can
    /// record. Throws base::UsageError for CPUs or choices that cannot be, soak::HeldError where
    /// somebody else soaks.
    explicit Session(const InstrumentOptions& options, bool record = false);

    /// Takes the stored calibration if it is this machine's as it is now, else calibrates, stores
    /// that and says so. False if it was interrupted. Throws std::runtime_error if a CPU is so busy
    /// that it cannot be done.
    bool prepare(base::Loop& loop, Progress& progress);
    /// Calibrates in any case, and stores.
    bool calibrate(base::Loop& loop, Progress& progress);

    /// What was measured contradicts the calibration: no later start will use it.
    void doubt_calibration(Progress& progress);

    soak::Instrument& instrument() { return *instrument_; }
    base::Warnings warnings() const;

  private:
    void store(const soak::Calibration& calibration, Progress& progress);

    soak::WorkingSetChoice working_set_;
    base::CpuList cpus_;
    std::optional<soak::Holder> holder_;
    std::optional<soak::Instrument> instrument_;
    base::Warnings warnings_;
};

} // namespace commands
