#pragma once

#include "base/time.h"
#include "base/warning.h"
#include "base/work.h"
#include "demand/phase.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace demand {

/// Value with a two-sided confidence interval; no interval where there are too few pairs.
struct Estimate {
    double value = 0;
    std::optional<double> low, high;
    bool operator==(const Estimate&) const = default;
};

enum class Method { soaked, idle_time };

/// Service demand: CPU seconds per unit of work.
struct Demand {
    std::string unit;   ///< "byte", "packet", "transaction" or a name of Work::units
    std::string source; ///< who counted the unit: "iperf3", "lo counters"
    Method method = Method::soaked;
    Estimate seconds_per_unit;
    double confidence = 0.95;
    int pairs = 0;  ///< how many pairs (or, without pairs, windows) the estimate is from
    int blocks = 0; ///< into how many blocks of neighbours they were merged for the interval
};

/// One CPU over all phases with the load. Absent: was not measured.
struct CpuReport {
    int cpu = 0;
    std::optional<soak::CpuWindow> soaked;     ///< sum over the soaked phases
    std::optional<Nanoseconds> baseline;       ///< stolen without the load, in that much time
    std::optional<Nanoseconds> kernel_network; ///< in the soaked phases; part of tasks
    std::optional<Nanoseconds> steal; ///< what the hypervisor admits to, in the soaked phases
    std::optional<Nanoseconds> free_elapsed;
    std::optional<Nanoseconds> idle_time_busy;     ///< elapsed - idle - iowait, free phases
    std::optional<Nanoseconds> idle_time_baseline; ///< the same without the load, in that much time
    std::optional<Nanoseconds> task_time;          ///< the scheduler's own task time, free phases
    std::optional<Nanoseconds> tick_busy;          ///< what top would call busy, free phases
    std::optional<Nanoseconds> tick_total;         ///< what top would divide it by
};

/// What a phase with the load contributes; enough to recompute every demand and interval.
struct PhaseReport {
    PhaseKind kind = PhaseKind::free;
    int pair = 0;
    Nanoseconds start{}, elapsed{};
    std::optional<double> proxy_packets, proxy_bytes; ///< what the work proxies counted
    std::map<std::string, double> units;              ///< apportioned work by unit
    std::optional<double> net_seconds;                ///< CPU seconds net of baseline, all CPUs
    std::optional<double> task_seconds; ///< of which the load's threads, net of baseline
    std::optional<double> reschedule, function_call, tlb_shootdown;
};

/// The baseline phases of one kind, and how much their scatter blurs the sums over the load.
struct BaselineReport {
    PhaseKind kind = PhaseKind::free;
    int phases = 0;
    Nanoseconds elapsed{};
    /// Standard errors of the summed net_seconds and task_seconds of the load phases of this kind
    /// that come from the baseline. Absent with fewer than two phases.
    std::optional<double> net_error_seconds, task_error_seconds;
};

/// How much the observer changed the observed: soaked / free.
struct Perturbation {
    std::string unit; ///< of work, for the two ratios
    Estimate rate_ratio;
    std::optional<Estimate> cpu_per_unit_ratio;
    int pairs = 0, blocks = 0;         ///< of rate_ratio
    int cpu_pairs = 0, cpu_blocks = 0; ///< of cpu_per_unit_ratio
    /// Interrupts per `interrupt_unit`, by kind of phase.
    struct Interrupts {
        std::optional<double> reschedule, function_call, tlb_shootdown;
    };
    std::string interrupt_unit; ///< "transaction" if known, else "packet"
    Interrupts soaked, free;
    /// Rate of a phase's first quarter / rest; far from 1: phases are too short.
    std::optional<Estimate> soaked_carry_over_ratio, free_carry_over_ratio;
};

struct BenchmarkReport {
    std::vector<std::string> command;
    std::optional<int> exit_status; ///< 128 + signal, as a shell says
    /// What the tool itself says of its CPU use, for the table; name -> ratio 0..1.
    std::map<std::string, double> cpu_ratios;
};

/// The time between two readings of the agent at the other end that contains the load.
struct PeerInterval {
    Nanoseconds elapsed{};
    int cpus = 0;                        ///< that the agent watches
    Nanoseconds busy{};                  ///< all CPUs
    std::optional<Nanoseconds> baseline; ///< the same without the load, in that much time
    int baseline_stretches = 0;          ///< stretches without the load that tell it
    std::map<std::string, double> units; ///< work of the whole load
};

/// What the load cost at the other end, by the agent there.
struct PeerReport {
    std::string address;
    std::string cyclesoak; ///< the agent's version; empty: it gave none
    std::optional<PeerInterval> interval;
    std::vector<Demand> demands;
    std::string absent;        ///< why there are none at all
    std::string soaked_absent; ///< why there are none by soaking
};

struct Report {
    Nanoseconds elapsed{}; ///< of the load
    std::vector<CpuReport> cpus;
    std::vector<PhaseReport> phases; ///< those with the load
    std::vector<BaselineReport> baselines;
    base::Work work;
    std::string unit;  ///< what the work is told in first; empty: nothing counted
    std::string proxy; ///< what apportions that unit: "lo packets", "time"; empty: nothing
    std::optional<double> proxy_packets, proxy_bytes; ///< over the whole load
    std::string packet;                               ///< what the proxy's devices count as one
    std::vector<Demand> demands;
    std::optional<Perturbation> perturbation;
    std::optional<BenchmarkReport> benchmark;
    std::optional<PeerReport> peer;
    std::string yielding; ///< method in use
    std::map<std::string, std::string> settings;
    base::Warnings warnings;
};

} // namespace demand
