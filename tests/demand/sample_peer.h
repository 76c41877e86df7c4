#pragma once

#include "demand/peer.h"

#include <chrono>
#include <cmath>
#include <random>

namespace sample {

using namespace std::chrono_literals;

/// An agent at the other end that reads once a second, of which every true figure is known.
class OtherEnd {
  public:
    struct Truth {
        int cpus = 4;
        double baseline = 0.02, load = 0.30; ///< busy, of each CPU; load: net
        double noise = 0;    ///< standard deviation of a CPU's busy time in a second, in seconds
        double windows = 50; ///< soaked windows of a CPU per second
    };

    explicit OtherEnd(unsigned seed = 1) : OtherEnd(Truth(), seed) {}
    explicit OtherEnd(const Truth& truth, unsigned seed = 1) : truth_(truth), random_(seed) {
        busy_.resize(static_cast<size_t>(truth.cpus));
        for (double& busy : busy_)
            busy = uniform(); // somewhere within a step
    }

    /// The load begins and ends between two readings.
    demand::PeerMeasurement measure(base::Nanoseconds load, int before = 3, int after = 3) {
        demand::PeerMeasurement heard{.address = "bench2:12001"};
        for (int i = 0; i < before; ++i) {
            if (i > 0) pass(1, 0);
            heard.before.push_back(read());
        }
        const double seconds = base::to_seconds(load);
        pass(std::ceil(seconds) + 1, seconds);
        for (int i = 0; i < after; ++i) {
            if (i > 0) pass(1, 0);
            heard.after.push_back(read());
        }
        heard.windows = read();
        heard.windows->totals.recent = windows_;
        heard.windows->totals.windows = windows_.size();
        return heard;
    }

  private:
    double uniform() { return static_cast<double>(random_()) / 4294967296.0; }

    /// Not std::normal_distribution: its sequence is the library's own.
    double normal() {
        double sum = -6;
        for (int i = 0; i < 12; ++i)
            sum += uniform();
        return sum;
    }

    void pass(double seconds, double load_seconds) {
        for (int cpu = 0; cpu < truth_.cpus; ++cpu) {
            double& busy = busy_[static_cast<size_t>(cpu)];
            busy += truth_.baseline * seconds + truth_.load * load_seconds +
                    truth_.noise * std::sqrt(seconds) * normal();
            soak(cpu, seconds, truth_.load * load_seconds / seconds);
        }
        now_ += seconds;
    }

    void soak(int cpu, double seconds, double load) {
        const auto count = static_cast<int>(seconds * truth_.windows);
        for (int i = 0; i < count; ++i) {
            demand::RecentWindow made;
            made.start = base::from_seconds(now_ + i / truth_.windows);
            made.window.cpu = cpu;
            made.window.elapsed = 10ms;
            const double tasks = load + truth_.baseline * (0.5 + uniform());
            made.window.causes.tasks = base::from_seconds(tasks * 0.01);
            made.window.stolen = made.window.causes.tasks;
            made.window.soaked = made.window.elapsed - made.window.stolen;
            windows_.push_back(made);
        }
    }

    demand::PeerReading read() {
        demand::PeerReading reading{.cyclesoak = "0.1.0", .age = 300ms, .totals = {}};
        demand::Totals& totals = reading.totals;
        totals.time = base::from_seconds(now_);
        totals.own.started = 3s;
        totals.calibration = demand::CalibrationState::good;
        for (int cpu = 0; cpu < truth_.cpus; ++cpu) {
            demand::CpuTotals& made = totals.cpus.emplace_back();
            made.cpu = cpu;
            made.accounted = totals.time;
            const double idle = now_ - busy_[static_cast<size_t>(cpu)];
            made.busy = base::from_seconds(now_ - std::floor(idle * 100) / 100);
        }
        return reading;
    }

    Truth truth_;
    std::mt19937 random_; // NOLINT: the same sequence each time is wanted
    double now_ = 1000;
    std::vector<double> busy_;
    std::vector<demand::RecentWindow> windows_;
};

} // namespace sample
