#pragma once

#include "base/loop.h"
#include "demand/phase.h"
#include "probes/probes.h"
#include "probes/throttling.h"
#include "soak/instrument.h"

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace commands {

using base::Nanoseconds;

/// How time is divided between the two instruments.
struct PhasePlan {
    enum class Kinds { alternating, soaked, free };
    Kinds kinds = Kinds::alternating;
    Nanoseconds length = std::chrono::milliseconds(300); ///< mean; random by a third either way
    Nanoseconds cut = std::chrono::milliseconds(20);     ///< left out at the start: caches settle
    uint64_t seed = std::random_device()();
};

/// Runs phases one after the other and keeps what they saw.
class PhaseRunner {
  public:
    PhaseRunner(soak::Instrument& instrument, probes::Probes& probes, base::Loop& loop,
                const PhasePlan& plan);
    ~PhaseRunner();

    /// A pair of phases in random order, or one phase where there is only one kind. Ends early
    /// when the loop is stopped; what was cut short by more than half is not kept.
    void run_pair(demand::Stage stage);
    /// Pairs until `elapsed` has passed or the loop is stopped. The time that `between` takes after
    /// each of them does not count.
    void run_for(demand::Stage stage, Nanoseconds elapsed, const std::function<void()>& between);

    /// Phase after phase the CPU's counter and the kernel's clock disagreed: no soaked phase will be
    /// good any more.
    bool counter_failed() const;
    /// There are new soakers in the instrument.
    void renew();

    const std::vector<demand::Phase>& phases() const { return phases_; }
    /// How many phases were thrown away, by reason.
    const std::map<std::string, int>& discarded() const { return discarded_; }

  private:
    struct Edge {
        soak::Snapshot soakers;
        probes::Counters counters;
        Nanoseconds suspended{};
        uint64_t throttled = 0;
    };

    void run_phase(demand::PhaseKind kind, demand::Stage stage);
    void enter(demand::PhaseKind kind);
    void settle(Edge& edge);
    Edge read_edge();
    void keep(demand::Phase phase, const Edge& begin, const Edge& end, Nanoseconds planned);
    void stop_soaking();
    Nanoseconds random_length();

    soak::Instrument& instrument_;
    probes::Probes& probes_;
    base::Loop& loop_;
    probes::Throttling throttling_;
    PhasePlan plan_;
    std::mt19937_64 random_;
    bool soaking_ = false;
    int pair_ = 0;
    Nanoseconds origin_;
    std::vector<demand::Phase> phases_;
    std::map<std::string, int> discarded_;
    int clock_failures_ = 0; ///< soaked phases in a row that were discarded for that
};

} // namespace commands
