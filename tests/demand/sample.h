#pragma once

#include "demand/measurement.h"

#include <random>

/// A made-up machine and load of which every true figure is known.
namespace sample {

using namespace std::chrono_literals;
using base::Nanoseconds;
using demand::Measurement;
using demand::Phase;
using demand::PhaseKind;
using demand::Stage;

/// What happens on each CPU, per second.
struct Truth {
    double baseline_tasks = 0.01, baseline_other = 0.05; ///< other: per second of soaker time
    double baseline_busy = 0.02;
    double soaked_tasks = 0.30, soaked_other = 0.20; ///< net; other: per second of time
    double free_busy = 0.40, free_tasks = 0.35;      ///< net
    double soaked_packets = 10'000, free_packets = 40'000;
    double packet_bytes = 1500;
    double noise = 0.02; ///< relative standard deviation of every amount of a phase
};

class Machine {
  public:
    explicit Machine(Truth truth = {}, int cpus = 2) : truth_(truth), cpus_(cpus) {}

    Phase phase(PhaseKind kind, Stage stage, int pair, Nanoseconds elapsed = 300ms) {
        Phase made;
        made.kind = kind;
        made.stage = stage;
        made.pair = pair;
        made.start = now_;
        made.elapsed = elapsed;
        const bool load = stage == Stage::load;
        made.counters.time = elapsed;
        for (int cpu = 0; cpu < cpus_; ++cpu) {
            if (kind == PhaseKind::soaked) made.soaked.push_back(window(cpu, load, elapsed));
            made.counters.cpus.push_back(counters(cpu, kind, load, elapsed));
        }
        made.counters.devices = devices(kind, load, elapsed);
        made.first_quarter = probes::Counters{};
        made.first_quarter->time = elapsed / 4;
        made.first_quarter->devices = devices(kind, load, elapsed / 4);
        now_ += elapsed + 20ms;
        return made;
    }

    Measurement measure(int pairs, int baseline_pairs = 3) {
        Measurement measurement;
        add(measurement, Stage::baseline_before, baseline_pairs);
        const Nanoseconds begin = now_;
        add(measurement, Stage::load, pairs);
        measurement.elapsed = now_ - begin;
        finish(measurement);
        add(measurement, Stage::baseline_after, baseline_pairs);
        measurement.yielding = "cgroup";
        return measurement;
    }

    /// Only one kind of phase, as --continuous and --free take them.
    Measurement measure_only(PhaseKind kind, int phases) {
        Measurement measurement;
        for (int i = 0; i < 4; ++i)
            measurement.phases.push_back(phase(kind, Stage::baseline_before, i));
        const Nanoseconds begin = now_;
        for (int i = 0; i < phases; ++i)
            measurement.phases.push_back(phase(kind, Stage::load, i));
        measurement.elapsed = now_ - begin;
        finish(measurement);
        measurement.yielding = "cgroup";
        return measurement;
    }

  private:
    void add(Measurement& measurement, Stage stage, int pairs) {
        for (int pair = 0; pair < pairs; ++pair) {
            const bool soaked_first = random_() % 2 == 0;
            const auto first = soaked_first ? PhaseKind::soaked : PhaseKind::free;
            const auto second = soaked_first ? PhaseKind::free : PhaseKind::soaked;
            measurement.phases.push_back(
                phase(first, stage, pair, 270ms + std::chrono::milliseconds(random_() % 60)));
            measurement.phases.push_back(
                phase(second, stage, pair, 270ms + std::chrono::milliseconds(random_() % 60)));
        }
    }

    /// The whole load is what its phases saw: nothing moved in the gaps.
    static void finish(Measurement& measurement) {
        measurement.load.time = measurement.elapsed;
        for (const Phase& phase : measurement.phases) {
            if (phase.stage != Stage::load) continue;
            if (measurement.load.devices.empty()) {
                measurement.load.devices = phase.counters.devices;
                continue;
            }
            for (size_t i = 0; i < phase.counters.devices.size(); ++i) {
                measurement.load.devices[i].rx_packets += phase.counters.devices[i].rx_packets;
                measurement.load.devices[i].tx_packets += phase.counters.devices[i].tx_packets;
                measurement.load.devices[i].rx_bytes += phase.counters.devices[i].rx_bytes;
                measurement.load.devices[i].tx_bytes += phase.counters.devices[i].tx_bytes;
            }
        }
    }

    double noisy(double value) {
        // Not std::normal_distribution: its sequence is the library's own.
        double sum = -6;
        for (int i = 0; i < 12; ++i)
            sum += static_cast<double>(random_()) / 4294967296.0;
        return value * (1 + truth_.noise * sum);
    }

    Nanoseconds part(double ratio, Nanoseconds elapsed) {
        return base::from_seconds(noisy(ratio) * base::to_seconds(elapsed));
    }

    soak::CpuWindow window(int cpu, bool load, Nanoseconds elapsed) {
        soak::CpuWindow made;
        made.cpu = cpu;
        made.elapsed = elapsed;
        made.own = elapsed / 100;
        made.causes.tasks = part(truth_.baseline_tasks + (load ? truth_.soaked_tasks : 0), elapsed);
        const Nanoseconds baseline_other = part(truth_.baseline_other, elapsed - made.causes.tasks);
        const Nanoseconds other = load ? part(truth_.soaked_other, elapsed) : 0ns;
        made.causes.interrupts = baseline_other + other / 2;
        made.causes.cache = other / 4;
        made.causes.core = -(elapsed / 1000);
        made.causes.unexplained = other - other / 2 - other / 4 + elapsed / 1000;
        made.stolen = made.causes.tasks + baseline_other + other;
        made.soaked = elapsed - made.own - made.stolen;
        made.core_share_ratio = 0.98;
        made.stalls = 1000;
        made.throughput_blocks = 5000;
        made.contended_blocks = 20;
        return made;
    }

    probes::CpuCounters counters(int cpu, PhaseKind kind, bool load, Nanoseconds elapsed) {
        const bool free = kind == PhaseKind::free;
        const double packets =
            load ? (free ? truth_.free_packets : truth_.soaked_packets) * base::to_seconds(elapsed)
                 : 0;
        probes::CpuCounters made;
        made.cpu = cpu;
        made.idle = elapsed - part(truth_.baseline_busy + (load ? truth_.free_busy : 0), elapsed);
        made.task_time = part(truth_.baseline_tasks + (load ? truth_.free_tasks : 0), elapsed);
        made.tick_busy = elapsed / 10;
        made.tick_total = elapsed;
        made.steal = elapsed / 1000;
        made.interrupts = elapsed / 500;
        made.kernel_network = elapsed / 200;
        made.reschedule = static_cast<uint64_t>(free ? 0 : packets);
        made.function_call = static_cast<uint64_t>(free ? packets : 0);
        made.tlb_shootdown = 1;
        return made;
    }

    std::vector<probes::DeviceCounters> devices(PhaseKind kind, bool load, Nanoseconds elapsed) {
        const double rate =
            load ? (kind == PhaseKind::free ? truth_.free_packets : truth_.soaked_packets) : 0;
        const auto packets = static_cast<uint64_t>(noisy(rate) * base::to_seconds(elapsed));
        probes::DeviceCounters lo;
        lo.index = 1;
        lo.name = "lo";
        lo.loopback = true;
        lo.rx_packets = lo.tx_packets = packets;
        lo.rx_bytes = lo.tx_bytes =
            static_cast<uint64_t>(static_cast<double>(packets) * truth_.packet_bytes);
        probes::DeviceCounters eth;
        eth.index = 2;
        eth.name = "eth0";
        eth.rx_packets = 3;
        eth.rx_bytes = 300;
        return {lo, eth};
    }

    Truth truth_;
    int cpus_;
    Nanoseconds now_{};
    std::mt19937 random_; // NOLINT: the same sequence each time is wanted
};

/// What the benchmark of measure() would have said, if a transaction is two packets.
inline base::Work work_of(const Measurement& measurement) {
    const auto& lo = measurement.load.devices.at(0);
    base::Work work;
    work.source = "cyclesoak load";
    work.seconds = base::to_seconds(measurement.elapsed);
    work.transactions = static_cast<double>(lo.packets()) / 2;
    return work;
}

} // namespace sample
