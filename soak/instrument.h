#pragma once

#include "base/cpu_list.h"
#include "base/loop.h"
#include "base/warning.h"
#include "soak/calibration.h"
#include "soak/snapshot.h"
#include "soak/soaker_process.h"
#include "soak/timebase.h"
#include "soak/topology.h"
#include "soak/yielding.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace soak {

/// The soakers and what they are measured with. One thread only.
class Instrument {
  public:
    struct Options {
        base::CpuList cpus; ///< empty: all that this process may use
        WorkingSetChoice working_set;
        Yield yield = Yield::automatic;
        bool counter = true; ///< false: never time by the CPU's counter
        bool record = false; ///< soakers that can record, see start_recording()
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

    /// Measures the chunks, in about 1 s, up to 3 s on a machine that is seldom quiet; serves `loop`
    /// meanwhile. nullopt if that was stopped or the soakers could not be reached. The result is in
    /// force afterwards.
    std::optional<Calibration> calibrate(base::Loop& loop);
    /// The same of the CPU that is number `at` in cpus(), while the others' soakers sleep: its clock
    /// is another then, and so is its calibration. Those of the others stay in force.
    std::optional<CpuCalibration> calibrate_alone(base::Loop& loop, size_t at);
    /// Do the soakers get through more than the calibration in force allows? Takes 0.1 s.
    bool contradicts_calibration(base::Loop& loop);
    /// Puts a calibration of these CPUs in force. Only while parked.
    void use(const Calibration& calibration);

    /// All soakers soak from now on, or sleep from now on. `park` with a later `snapshot` reads the
    /// time up to the moment of parking.
    void soak();
    void park();
    Snapshot snapshot() const;

    // The same of one soaker, number `at` in cpus(); the others do what they were told.

    void soak(size_t at) { command(Mode::soak, part(at)); }
    /// Up to `later` from now. The edge comes by itself: nobody needs to be there in time.
    void park(size_t at, Nanoseconds later = {});
    Snapshot snapshot(size_t at) const { return snapshot(part(at)); }
    Windows window(const Snapshot& earlier, const Snapshot& later, size_t at) const;
    /// Stalls of one soaker, all of its soaking.
    StallCounts stalls(size_t at) const { return process_->slots()[at].stalls(); }
    /// Have all soakers noticed that they are to sleep? What is read before may lack the sorting of
    /// a gap that was open at the edge.
    bool settled() const;

    Windows window(const Snapshot& earlier, const Snapshot& later) const;

    /// From the next soak() on every call of every soaker's accountant goes into its ring. Returns
    /// the rings, one a CPU in the order of cpus(); none unless Options::record was set.
    std::span<RecordRing> start_recording();

  private:
    /// Some of the soakers.
    struct Part {
        std::span<Slot> slots;
        std::span<const SoakerPlan> plans;
    };
    Part all() const { return {process_->slots(), plans_}; }
    Part part(size_t at) const;

    void command(Mode mode, const Part& part);
    Snapshot snapshot(const Part& part) const;
    bool wait_for(base::Loop& loop, const Part& part,
                  const std::function<bool(const Slot&)>& reached) const;
    bool sample(base::Loop& loop, const Part& part, Sampled what, size_t count,
                std::vector<ChunkSamples>& samples);
    void add_short_windows(base::Loop& loop, const Part& part, int count,
                           std::vector<std::vector<Tally>>& tallies);
    std::optional<Calibration> calibrate(base::Loop& loop, const Part& part);
    Calibration make_calibration(const Part& part, const std::vector<ChunkSamples>& samples,
                                 const std::vector<std::vector<Tally>>& tallies) const;

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
