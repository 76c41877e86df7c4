#pragma once

#include "base/cpu_list.h"
#include "base/finding.h"
#include "base/warning.h"
#include "demand/verification.h"
#include "probes/platform.h"
#include "probes/settings.h"
#include "soak/calibration.h"
#include "soak/timebase.h"
#include "soak/topology.h"
#include "soak/yielding.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace commands {

/// What was measured for a diagnosis; all of it is absent where the soakers could not start. Ratios
/// are of the time of all soaked CPUs, while nobody loads them on purpose.
struct Observed {
    std::optional<double> taken_ratio; ///< of a CPU, from a thread that wants all of it
    std::optional<demand::WakeUp> soaked_wake_up, free_wake_up;
    std::optional<double> idle_time_error_ratio; ///< reported minus true, in gaps of 20 us
    std::optional<double> stolen_ratio;          ///< what the soakers did not get
    std::optional<double> tasks_ratio;           ///< of which other threads ran
    std::optional<double> steal_ratio;           ///< by the kernel's account
    std::optional<double> clock_stopped_ratio;   ///< a thread's clock stood still though it ran
};

/// The cyclesoak that has CPUs we want.
struct OtherSoaker {
    int cpu = 0;
    pid_t pid = 0;
};

/// All that a diagnosis is made from.
struct Facts {
    probes::Settings settings;
    probes::Platform platform;
    base::CpuList cpus;                         ///< that this process may use
    base::CpuList reserved;                     ///< isolated or nohz_full: soaked only on request
    std::vector<soak::CpuPlace> places;         ///< of `cpus`
    std::vector<std::string> working_set_notes; ///< why a working set is not what was asked for
    soak::Timebase timebase = soak::Timebase::system();
    bool root = false;                   ///< we may do everything
    base::CpuList soaked;                ///< empty: the soakers did not start
    std::optional<soak::Yield> yielding; ///< in force
    base::Warnings warnings;             ///< of the instrument
    std::optional<OtherSoaker> other_soaker;
    soak::Calibration calibration; ///< in force; without CPUs: there is none
    bool read_only = false;        ///< the soakers were not to start
    std::string not_measured;      ///< why: "the soakers could not start: ..."; empty: it was
    Observed observed;

    /// One of `warnings`; nullptr: not among them.
    const base::Warning* warning(std::string_view id) const;
};

/// What helps or spoils a measurement here, the worst first. Every topic has a finding, good ones
/// too: which it is, and why that is fine.
base::Findings diagnose(const Facts& facts);

/// The figures behind it by name, seconds and ratios; what was not measured is left out.
std::map<std::string, double> name_measured(const Observed& observed);

} // namespace commands
