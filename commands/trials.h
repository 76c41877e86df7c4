#pragma once

#include "base/signals.h"
#include "commands/session.h"
#include "demand/verification.h"
#include "probes/benchmark.h"
#include "probes/kept_file.h"
#include "probes/thread_times.h"

#include <string>
#include <vector>

namespace commands {

using base::Nanoseconds;

/// A load whose cost is known, and for how long it is looked at.
struct Trial {
    std::string name;
    std::vector<std::string> burn; ///< options of `load burn`; empty: no load at all
    Nanoseconds soaked{};          ///< in phases of a tenth of a second
    Nanoseconds free{};            ///< without soaking, afterwards
    bool evicts = false, wakes_often = false;
};

/// A load that idles for 20 us at a time, too short for the tick to stop, 2,000 times a second: it
/// shows how exact the kernel's idle time is, and is not soaked.
Trial make_gaps(Nanoseconds free);

/// Puts known loads on one CPU, the instrument's last, and keeps what both instruments see of it.
/// The loads are our own program's, started anew as a benchmark is, and wake by timer: so their own
/// CPU clock is the truth. All stop early, with what they have, when the loop is stopped.
class Trials {
  public:
    Trials(Session& session, base::Loop& loop, const base::OriginalSignals& original);
    ~Trials();

    int cpu() const { return cpu_; }
    demand::KnownLoad run(const Trial& trial);
    /// What the soaker takes beside a thread that is always busy: its share of the CPU, by the
    /// scheduler's clock. nullopt if it was interrupted.
    std::optional<double> measure_taken();
    /// How late a thread on the CPU wakes from sleeps of 1 to 3 ms. nullopt if it was interrupted.
    std::optional<demand::WakeUp> measure_wake_up(bool soaked);

  private:
    struct Edge;

    void soak(bool wanted);
    Edge read_soaked_edge(const probes::Benchmark* load);
    demand::FreeReading read_free(const probes::Benchmark* load);
    std::optional<demand::KnownPhase> make_soaked_phase(const Edge& begin, const Edge& end) const;
    void run_soaked(demand::KnownLoad& known, Nanoseconds length, const probes::Benchmark* load);
    void run_free(demand::KnownLoad& known, Nanoseconds length, const probes::Benchmark* load);
    std::vector<std::string> make_command(const std::vector<std::string>& burn) const;

    Session& session_;
    base::Loop& loop_;
    const base::OriginalSignals& original_;
    int cpu_;
    probes::KeptFile stat_;
    probes::ThreadTimes soakers_;
    bool soaking_ = false;
};

} // namespace commands
