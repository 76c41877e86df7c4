#pragma once

#include "agent/calibrator.h"
#include "agent/sampler.h"
#include "probes/thread_times.h"
#include "soak/holder.h"

#include <functional>
#include <memory>
#include <optional>

namespace agent {

/// How an agent works.
struct Plan {
    base::CpuList cpus; ///< empty: all that may be used and are not reserved, as they come and go
    soak::WorkingSetChoice working_set;
    soak::Yield yield = soak::Yield::automatic;
    double duty_ratio = 0.01; ///< 1: always
    Nanoseconds window = std::chrono::milliseconds(20);
    std::filesystem::path lock = soak::holder_path();
};

/// Whom an agent talks to, in its own thread.
struct Surroundings {
    std::function<void(const std::string&)> say; ///< a line for people
    /// Once a second.
    std::function<void(demand::PublishedTotals)> publish;
    /// Calls what it is given, which forks, while the calling thread is the only one.
    std::function<void(const std::function<void()>&)> fork;
};

/// The measurement that goes on and on: random windows, a reading a second, calibration when it is
/// due; follows CPUs and devices as they come and go, and gives way to others who soak.
class Agent {
  public:
    /// Throws base::UsageError for CPUs that this process may not use.
    Agent(const Plan& plan, base::Loop& loop, Surroundings surroundings);
    ~Agent();

    /// Until stop().
    void run();
    /// From the next run() on. Throws as the constructor, and then changes nothing.
    void change(const Plan& plan);

    // From elsewhere in the loop.

    void stop();
    /// When this returns no soaker of ours runs any more, and no CPU is held.
    void pause();
    void resume() { pause_wanted_ = false; }

  private:
    struct Soaking;

    Nanoseconds next_event() const;
    void use_cpus(const base::CpuList& cpus);
    void activate();
    void deactivate();
    bool hold();
    bool start_soakers();
    void calibrate_if_due();
    void tick();
    void heed_soakers();
    demand::Account::Reading take_reading();
    void publish();
    std::vector<double> busy_ratios();
    void meet(const std::string& obstacle);

    Plan plan_;
    base::Loop& loop_;
    Surroundings surroundings_;
    demand::Account account_;
    base::CpuList cpus_;
    std::optional<probes::Probes> probes_; ///< of these CPUs
    std::optional<soak::Holder> holder_;
    std::unique_ptr<Soaking> soaking_; ///< kept while we pause
    bool active_ = false;              ///< nobody else soaks, and we count
    bool started_ = false;             ///< soakers, at least once
    bool counter_ = true;              ///< false: the CPU's counter was found to be bad
    bool pause_wanted_ = false, stopping_ = false;
    Nanoseconds next_tick_{}, next_try_{}, inactive_since_{}, inactive_{};
    std::map<std::string, std::string> host_;
    std::string obstacle_; ///< why we are not active
    uint64_t restarts_ = 0;
};

} // namespace agent
