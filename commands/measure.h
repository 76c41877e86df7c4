#pragma once

#include "base/signals.h"
#include "commands/peer_watch.h"
#include "commands/phase_runner.h"
#include "commands/progress.h"
#include "commands/session.h"
#include "demand/measurement.h"
#include "probes/benchmark.h"

#include <optional>
#include <string>
#include <vector>

namespace commands {

/// What to run, and how to measure it.
struct MeasurePlan {
    std::vector<std::string> command;
    std::string parser; ///< whose output it is; empty: told by the command
    PhasePlan phases;
    Nanoseconds baseline = std::chrono::milliseconds(1500); ///< before and after; 0: none
    std::optional<Nanoseconds> duration; ///< end the benchmark then; that is no failure
    std::optional<Nanoseconds> timeout;  ///< end the benchmark then; that is one
    std::vector<std::string> devices;
    std::optional<base::Work> work;        ///< what the user says was done
    std::optional<agent::PeerAccess> peer; ///< whose agent to listen to as well
};

struct Outcome {
    demand::Measurement measurement;
    bool interrupted = false; ///< the user ended it
    bool timed_out = false;
    bool ended_by_us = false; ///< after --duration
    bool soakers_ended = false;
    std::string last_lines; ///< of the benchmark's errors
};

/// Baseline, load, baseline. Ctrl-C goes to the benchmark and ends the measurement early; a second
/// one ends both at once. nullopt if it was interrupted before the load.
class Measure {
  public:
    Measure(Session& session, base::Loop& loop, base::Signals& signals,
            const base::OriginalSignals& original, Progress& progress, const MeasurePlan& plan);
    ~Measure();

    std::optional<Outcome> run();

  private:
    void take_signals();
    bool measure_baseline();
    void run_baseline(demand::Stage stage, Nanoseconds elapsed);
    bool calibration_contradicted() const;
    void run_load();
    void watch_limits(probes::Benchmark& benchmark, Nanoseconds elapsed);
    void keep_results(const probes::Benchmark& benchmark);
    void ask_peer();
    void finish();

    Session& session_;
    base::Loop& loop_;
    const base::OriginalSignals& original_;
    Progress& progress_;
    const MeasurePlan& plan_;
    base::Signals& signals_;
    probes::Probes probes_;
    std::optional<PhaseRunner> runner_;
    std::optional<PeerWatch> peer_;
    probes::Benchmark* benchmark_ = nullptr; ///< while one runs
    int signals_taken_ = 0;
    Outcome outcome_;
};

} // namespace commands
