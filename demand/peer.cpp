#include "demand/peer.h"

#include "demand/interval.h"
#include "demand/peer_soaked.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace demand {
namespace {

using Readings = std::vector<PeerReading>;

double seconds(Nanoseconds later, Nanoseconds earlier) {
    return base::to_seconds(later) - base::to_seconds(earlier); // whatever the peer says
}

/// CPU time between two readings, of all CPUs.
struct Piece {
    double seconds = 0, busy = 0;
};

double busy(const PeerReading& reading) {
    double sum = 0;
    for (const CpuTotals& cpu : reading.totals.cpus)
        sum += base::to_seconds(cpu.busy.value_or(Nanoseconds{}));
    return sum;
}

Piece between(const PeerReading& earlier, const PeerReading& later) {
    return {.seconds = seconds(later.totals.time, earlier.totals.time),
            .busy = busy(later) - busy(earlier)};
}

std::vector<Piece> pieces(const Readings& readings) {
    std::vector<Piece> result;
    for (size_t i = 1; i < readings.size(); ++i)
        result.push_back(between(readings[i - 1], readings[i]));
    return result;
}

Piece sum(const std::vector<Piece>& pieces) {
    Piece result;
    for (const Piece& piece : pieces) {
        result.seconds += piece.seconds;
        result.busy += piece.busy;
    }
    return result;
}

/// Why the time between two readings cannot be used; empty: it can.
std::string trouble_of_cpu(const CpuTotals& earlier, const CpuTotals& later, double elapsed) {
    if (earlier.cpu != later.cpu) return "its CPUs changed meanwhile";
    if (!earlier.busy || !later.busy) return "the kernel's idle time is not exact there";
    if (later.accounted < earlier.accounted || *later.busy < *earlier.busy)
        return "its figures went backwards";
    constexpr double tolerated = 0.02, moment = 0.02; // ratio, seconds
    if (seconds(*later.busy, *earlier.busy) > elapsed * (1 + tolerated) + moment)
        return "its figures contradict each other";
    if (seconds(later.accounted, earlier.accounted) < elapsed * (1 - tolerated) - moment)
        return fmt::format("its agent did not watch CPU {} all the time", later.cpu);
    return "";
}

std::string trouble(const PeerReading& earlier, const PeerReading& later) {
    const Totals &a = earlier.totals, &b = later.totals;
    const double elapsed = seconds(b.time, a.time);
    if (a.own.started != b.own.started || elapsed <= 0) return "its agent was restarted meanwhile";
    if (b.paused > a.paused)
        return fmt::format("its agent paused for {:.1f} s while somebody else soaked there",
                           seconds(b.paused, a.paused));
    if (a.cpus.size() != b.cpus.size()) return "its CPUs changed meanwhile";
    for (size_t i = 0; i < a.cpus.size(); ++i)
        if (auto why = trouble_of_cpu(a.cpus[i], b.cpus[i], elapsed); !why.empty()) return why;
    return "";
}

std::string trouble(const PeerMeasurement& heard) {
    if (heard.before.empty() || heard.after.empty()) {
        if (!heard.failure.empty()) return heard.failure;
        return heard.before.empty() ? "it was not asked before the load"
                                    : "its agent read nothing new after the load";
    }
    Readings all = heard.before;
    all.insert(all.end(), heard.after.begin(), heard.after.end());
    if (all.front().totals.cpus.empty()) return "its agent watches no CPU";
    for (size_t i = 1; i < all.size(); ++i)
        if (auto why = trouble(all[i - 1], all[i]); !why.empty()) return why;
    return "";
}

/// What the steps of all CPUs' idle time do to net = load - rate * T. Readings within the baseline
/// cancel out; of the others, that at the load's edge counts once for the load and once for the
/// baseline. (Idle and iowait each step on their own.)
double variance_of_steps(const PeerMeasurement& heard, size_t cpus, double share) {
    constexpr double step = 0.01; // seconds, uniform
    double squares = 0;
    for (const Readings* side : {&heard.before, &heard.after})
        squares += side->size() < 2 ? 1 : (1 + share) * (1 + share) + share * share;
    return squares * 2 * step * step / 12 * static_cast<double>(cpus);
}

/// Net CPU seconds of the load, and the interval where there is one.
Estimate net_of(const PeerMeasurement& heard, const Piece& load,
                const std::vector<Piece>& baseline) {
    const Piece sums = sum(baseline);
    if (baseline.empty()) return {.value = load.busy, .low = {}, .high = {}};
    const double rate = sums.busy / sums.seconds, share = load.seconds / sums.seconds;
    Estimate net{.value = load.busy - rate * load.seconds, .low = {}, .high = {}};
    constexpr size_t fewest = 3;
    if (baseline.size() < fewest) return net;
    double squares = 0;
    for (const Piece& piece : baseline) {
        const double off = piece.busy - rate * piece.seconds;
        squares += off * off / piece.seconds;
    }
    const auto freedom = static_cast<double>(baseline.size() - 1);
    const double scatter = squares / freedom * load.seconds * (1 + share);
    constexpr double known = 1e6; // degrees of freedom
    const double steps = variance_of_steps(heard, heard.before.front().totals.cpus.size(), share);
    const double half =
        half_width({{.value = scatter, .freedom = freedom}, {.value = steps, .freedom = known}});
    net.low = net.value - half;
    net.high = net.value + half;
    return net;
}

Estimate operator/(const Estimate& estimate, double units) {
    const auto divide = [&](double value) { return value / units; };
    Estimate result{.value = divide(estimate.value), .low = {}, .high = {}};
    if (estimate.low) result.low = divide(*estimate.low);
    if (estimate.high) result.high = divide(*estimate.high);
    return result;
}

void add_demands(PeerReport& report, const std::map<std::string, Done>& work,
                 const Demand& pattern) {
    for (const auto& [unit, done] : work) {
        if (done.units <= 0) continue;
        Demand& demand = report.demands.emplace_back(pattern);
        demand.unit = unit;
        demand.source = done.source;
        demand.seconds_per_unit = pattern.seconds_per_unit / done.units;
    }
}

void add_idle_time(PeerReport& report, const PeerMeasurement& heard,
                   const std::map<std::string, Done>& work) {
    std::vector<Piece> baseline = pieces(heard.before);
    const std::vector<Piece> after = pieces(heard.after);
    baseline.insert(baseline.end(), after.begin(), after.end());
    const Piece load = between(heard.before.back(), heard.after.front());
    const Estimate net = net_of(heard, load, baseline);
    report.interval = PeerInterval{.elapsed = base::from_seconds(load.seconds),
                                   .cpus = static_cast<int>(heard.before.back().totals.cpus.size()),
                                   .busy = base::from_seconds(load.busy),
                                   .baseline = {},
                                   .baseline_stretches = static_cast<int>(baseline.size())};
    if (!baseline.empty()) report.interval->baseline = base::from_seconds(load.busy - net.value);
    for (const auto& [unit, done] : work)
        if (done.units > 0) report.interval->units[unit] = done.units;
    add_demands(report, work,
                {.unit = {},
                 .source = {},
                 .method = Method::idle_time,
                 .seconds_per_unit = net,
                 .confidence = confidence,
                 .pairs = 1,
                 .blocks = 1});
}

/// Why there are none; empty: they were added.
std::string add_soaked(PeerReport& report, const PeerMeasurement& heard,
                       const std::map<std::string, Done>& work) {
    const PeerSoaked soaked = estimate_peer_soaked(heard);
    if (!soaked.net_ratio) return soaked.absent;
    const double scale = base::to_seconds(report.interval->elapsed) * report.interval->cpus;
    add_demands(report, work,
                {.unit = {},
                 .source = {},
                 .method = Method::soaked,
                 .seconds_per_unit = soaked.net_ratio->estimate / (1 / scale),
                 .confidence = confidence,
                 .pairs = soaked.net_ratio->rows,
                 .blocks = soaked.net_ratio->blocks});
    return "";
}

} // namespace

PeerReport make_peer_report(const PeerMeasurement& measurement,
                            const std::map<std::string, Done>& work) {
    PeerReport report{.address = measurement.address};
    if (!measurement.before.empty()) report.cyclesoak = measurement.before.front().cyclesoak;
    report.absent = trouble(measurement);
    if (!report.absent.empty()) return report;
    add_idle_time(report, measurement, work);
    if (report.interval->units.empty()) {
        report.absent = "no work was counted";
        return report;
    }
    report.soaked_absent = add_soaked(report, measurement, work);
    return report;
}

} // namespace demand
