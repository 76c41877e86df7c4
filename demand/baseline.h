#pragma once

#include "demand/phase.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace demand {

/// CPU time that went to something, and the time in which it could have gone there, in seconds.
struct Exposed {
    double amount = 0;
    double exposure = 0;
};

/// What a CPU's time goes to. `tasks` are exposed to all the time; the other causes only to the time
/// the soaker was there, because a stall in a task's time hits the task; `busy` (not idle) again to
/// all of it.
enum class Part { tasks, interrupts, hypervisor, core, cache, unexplained, busy };

/// What a phase cost, by CPU and part.
using Bill = std::map<std::pair<int, Part>, Exposed>;

/// The whole cost: the causes of a soaked phase, busy of a free one. Nothing where a CPU's
/// counters are missing.
std::optional<Bill> make_bill(const Phase& phase);
/// Only tasks; in free phases by the scheduler's account. Nothing where that is missing.
std::optional<Bill> make_task_bill(const Phase& phase);

Bill operator+(Bill a, const Bill& b);
/// Of one CPU, or of all.
double total(const Bill& bill, std::optional<int> cpu = {});
/// Only one part, of all CPUs.
Bill only(Bill bill, Part part);

/// What is lost per second of exposure while the load is not running: the sum of the amounts over
/// the sum of the exposures of the baseline phases, by CPU and part.
class Baseline {
  public:
    explicit Baseline(std::vector<Bill> phases);

    bool known() const { return !phases_.empty(); }
    int phases() const { return static_cast<int>(phases_.size()); }

    /// `load` with its amounts replaced by what the baseline would have lost in those exposures.
    Bill expected(const Bill& load) const;
    /// CPU seconds net of the baseline.
    double net(const Bill& load) const { return total(load) - total(expected(load)); }
    /// Standard error of net(load), in seconds, from the scatter between baseline phases
    /// (variance of ratios of sums, linearised; CPUs of one phase are not taken as independent).
    /// Nothing with fewer than two phases.
    std::optional<double> error(const Bill& load) const;

  private:
    std::vector<Bill> phases_;
    Bill sums_;
};

} // namespace demand
