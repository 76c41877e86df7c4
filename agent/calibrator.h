#pragma once

#include "demand/totals.h"
#include "soak/calibration_store.h"
#include "soak/instrument.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace agent {

using base::Nanoseconds;

/// Sees to it that every soaker has a calibration that can be trusted, in quiet moments, and keeps
/// them for the next start.
class Calibrator {
  public:
    /// `alone`: each CPU while the others' soakers sleep; else all at once. Takes what is stored.
    Calibrator(soak::Instrument& instrument, const soak::WorkingSetChoice& working_set, bool alone,
               std::function<void(const std::string&)> say, base::Root root = base::Root());

    /// Looks, once a minute, for a change of what a calibration is true for, as the governor: then
    /// there is none any more.
    void heed(Nanoseconds now);

    /// The CPU (its number among the instrument's) that should be calibrated now. One that has no
    /// calibration at once; one whose calibration is in doubt after a while, later and later; an
    /// old one once its CPU is quiet. `busy_ratio`: of each CPU, lately.
    std::optional<size_t> due(Nanoseconds now, const std::vector<double>& busy_ratio) const;
    /// Takes about a second, for which `loop` is served. False if that was stopped.
    bool calibrate(base::Loop& loop, size_t at);
    /// A window that was measured with it: does it contradict it?
    void check(size_t at, const soak::CpuWindow& window);

    demand::CalibrationState state() const; ///< of the worst CPU
    double oldest_unix_seconds() const;     ///< 0: a CPU was never calibrated

  private:
    struct Cpu {
        demand::CalibrationState state = demand::CalibrationState::missing;
        Nanoseconds at{}; ///< CLOCK_MONOTONIC
        double unix_seconds = 0;
        int failures = 0; ///< in a row
        std::deque<soak::CpuWindow> windows;
    };

    void load();
    void store();
    soak::Fingerprint read_fingerprint() const;
    std::filesystem::path path() const;
    void took(Cpu& cpu, const soak::CpuCalibration& calibration);

    soak::Instrument& instrument_;
    soak::WorkingSetChoice working_set_;
    bool alone_;
    std::function<void(const std::string&)> say_;
    base::Root root_;
    soak::Fingerprint fingerprint_;
    Nanoseconds next_look_{};
    std::vector<Cpu> cpus_;
    bool store_failed_ = false; ///< told once
};

} // namespace agent
