#pragma once

#include "base/time.h"

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace agent {

using base::Nanoseconds;

/// When which CPU is soaked. Windows come at random, with exponentially distributed gaps, so that
/// no load can be in step with them and what they see is what happens at any time.
class Schedule {
  public:
    struct Plan {
        double duty = 0.01;                             ///< share of the time, 0 to 0.5
        Nanoseconds cut = std::chrono::milliseconds(5); ///< left out while the working set warms
        Nanoseconds window = std::chrono::milliseconds(20);
        Nanoseconds settling = std::chrono::milliseconds(1); ///< to sort the gap at the end
    };

    enum class What {
        soak,  ///< start soaking
        begin, ///< the window's first edge; its last one follows by itself
        read,  ///< it is over, and the soaker has sorted what was open at its end
    };
    struct Step {
        What what = What::soak;
        size_t cpu = 0; ///< its number in `cores`
        Nanoseconds at{};
    };

    /// `cores`: the core of each CPU. Those of one core never soak together, nor do all CPUs: a
    /// soaker's calibration is of one that is alone. Times are of any one clock.
    Schedule(std::vector<int> cores, const Plan& plan, uint64_t seed, Nanoseconds now);

    /// The earliest step, which stays the same until take() or restart().
    Step next() const;
    /// The step is being taken at `now`, and the next one of its CPU follows from that. False: it
    /// is refused, since another CPU that may not soak with it does; the CPU waits anew.
    bool take(const Step& step, Nanoseconds now);
    /// No window is open any more.
    void restart(Nanoseconds now);

  private:
    Nanoseconds random_gap();
    bool may_soak(size_t cpu) const;

    std::vector<int> cores_;
    Plan plan_;
    std::mt19937_64 random_;
    std::vector<Step> steps_; ///< the next one of each CPU
};

} // namespace agent
