#pragma once

#include "base/cpu_list.h"
#include "base/loop.h"
#include "base/warning.h"
#include "soak/calibration.h"
#include "soak/soaker_process.h"
#include "soak/split.h"
#include "soak/timebase.h"
#include "soak/topology.h"
#include "soak/window.h"
#include "soak/yielding.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace soak {

/// All soakers at one moment.
struct Snapshot {
    ClockPair time;
    std::vector<CpuSnapshot> cpus;
    Nanoseconds own_cpu{}; ///< CPU time of the calling thread
    int own_place = 0;     ///< the CPU it is on
};

/// One window a CPU that could be seen; CPUs that went offline are left out.
struct Windows {
    std::vector<CpuWindow> cpus;
    /// Empty, or why the window says nothing: "clock" (the counter and CLOCK_MONOTONIC_RAW
    /// disagree), "soakers-ended".
    std::string discarded;
};

/// The soakers and what they are measured with. One thread only.
class Instrument {
  public:
    struct Options {
        base::CpuList cpus; ///< empty: all that this process may use
        WorkingSetChoice working_set;
        Yield yield = Yield::automatic;
        bool counter = true; ///< false: never time by the CPU's counter
    };

    /// Starts the soakers' process, parked. Call while the process has one thread. Throws
    /// base::UsageError for CPUs that are not there or not allowed.
    explicit Instrument(const Options& options);

    const base::CpuList& cpus() const { return cpus_; }
    const Topology& topology() const { return topology_; }
    const Timebase& timebase() const { return timebase_; }
    const std::vector<SoakerPlan>& plans() const { return plans_; }
    Yield yielding() const { return yielding_.method; }
    const base::Warnings& warnings() const { return warnings_; }
    const Calibration& calibration() const { return calibration_; }
    pid_t pid() const { return process_->pid(); }
    bool ended() const { return process_->ended(); }

    /// Measures the chunks, about 1.5 s; serves `loop` meanwhile. nullopt if that was stopped or
    /// the soakers could not be reached. The result is in force afterwards.
    std::optional<Calibration> calibrate(base::Loop& loop);
    /// Puts a calibration of these CPUs in force. Only while parked.
    void use(const Calibration& calibration);

    /// All soakers soak from now on, or sleep from now on. `park` with a later `snapshot` reads the
    /// time up to the moment of parking.
    void soak();
    void park();
    Snapshot snapshot() const;
    /// Have all soakers noticed that they are to sleep? What is read before may lack the sorting of
    /// a gap that was open at the edge.
    bool settled() const;

    Windows window(const Snapshot& earlier, const Snapshot& later) const;

  private:
    void command(Mode mode);
    bool wait_for(base::Loop& loop, const std::function<bool(const Slot&)>& reached) const;
    bool sample(base::Loop& loop, Sampled what, size_t count, std::vector<ChunkSamples>& samples);
    std::vector<std::vector<Tally>> short_windows(base::Loop& loop);

    Topology topology_;
    base::CpuList cpus_;
    std::vector<SoakerPlan> plans_;
    base::Warnings warnings_;
    Timebase timebase_;
    Yielding yielding_; // outlives the process in its group
    std::unique_ptr<SoakerProcess> process_;
    Calibration calibration_;
};

} // namespace soak
