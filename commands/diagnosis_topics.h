#pragma once

#include "commands/diagnosis.h"

namespace commands {

/// How the scheduler treats soakers and loads: yielding, taken, wake-up, cpu-quota, cpu-weight,
/// autogroup, kernel, preemption.
base::Findings diagnose_scheduling(const Facts& facts);

/// What time is told by: clock, counter, time-accounting, tick, idle-time, lxcfs.
base::Findings diagnose_clocks(const Facts& facts);

/// What the CPUs are: cpus, isolated-cpus, smt, hybrid, caches, idle-states, frequency.
base::Findings diagnose_cpus(const Facts& facts);

/// Who else is there: soakers, calibration, other-soaker, baseline, hypervisor, steal, burstable, battery.
base::Findings diagnose_surroundings(const Facts& facts);

/// "12.5 %".
std::string say_percent(double ratio);
/// "12.5 µs".
std::string say_microseconds(base::Nanoseconds time);
/// A finding of something that was not measured.
base::Finding not_measured(const std::string& id, const std::string& what);
/// The value of a setting; empty: there is none.
std::string setting(const Facts& facts, const std::string& name);
/// Does a sleeper on a soaked CPU wake much later than on a free one? nullopt: it was not measured.
std::optional<base::Severity> judge_wake_up(const Observed& observed);

} // namespace commands
