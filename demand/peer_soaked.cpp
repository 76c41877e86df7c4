#include "demand/peer_soaked.h"

#include "demand/baseline.h"

#include <fmt/format.h>

#include <set>

namespace demand {
namespace {

double seconds(Nanoseconds later, Nanoseconds earlier) {
    return base::to_seconds(later) - base::to_seconds(earlier); // whatever the peer says
}

/// The windows of the load, and those of the baseline.
struct Windows {
    std::vector<RecentWindow> load, baseline;
};

Windows sort(const PeerMeasurement& heard) {
    const auto inside = [](const RecentWindow& window, const PeerReading& from,
                           const PeerReading& to) {
        return window.start >= from.totals.time &&
               seconds(to.totals.time, window.start) >= base::to_seconds(window.window.elapsed);
    };
    Windows windows;
    for (const RecentWindow& window : heard.windows->totals.recent) {
        if (window.window.elapsed <= Nanoseconds{}) continue;
        if (inside(window, heard.before.back(), heard.after.front()))
            windows.load.push_back(window);
        else if (inside(window, heard.before.front(), heard.before.back()) ||
                 inside(window, heard.after.front(), heard.after.back()))
            windows.baseline.push_back(window);
    }
    return windows;
}

Bill bill_of(const RecentWindow& window) {
    Phase phase;
    phase.kind = PhaseKind::soaked;
    phase.elapsed = window.window.elapsed;
    phase.soaked = {window.window};
    return *make_bill(phase);
}

/// Are all windows since the first reading listed?
bool reaches_back(const PeerMeasurement& heard) {
    const Totals& listed = heard.windows->totals;
    return listed.recent.size() >= listed.windows ||
           (!listed.recent.empty() &&
            listed.recent.front().start <= heard.before.front().totals.time);
}

/// Why they give no soaked figure; empty: they may.
std::string trouble(const PeerMeasurement& heard, const Windows& windows) {
    if (!reaches_back(heard)) return "its list of windows does not reach back to before the load";
    if (windows.load.size() < fewest_blocks)
        return fmt::format("{} of its windows fell into the load, and {} are the fewest that tell",
                           windows.load.size(), fewest_blocks);
    std::set<int> known;
    for (const RecentWindow& window : windows.baseline)
        known.insert(window.window.cpu);
    for (const RecentWindow& window : windows.load)
        if (!known.contains(window.window.cpu))
            return fmt::format("none of its windows of CPU {} fell into the baseline",
                               window.window.cpu);
    return "";
}

/// Net seconds per observed second.
std::optional<RatioEstimate> net_ratio(const Windows& windows) {
    std::vector<Bill> bills;
    for (const RecentWindow& window : windows.baseline)
        bills.push_back(bill_of(window));
    const Baseline baseline(bills);
    std::vector<Row> rows;
    Bill all;
    double observed = 0;
    for (const RecentWindow& window : windows.load) {
        const Bill bill = bill_of(window);
        rows.push_back({.a = baseline.net(bill), .b = base::to_seconds(window.window.elapsed)});
        observed += rows.back().b;
        all = std::move(all) + bill;
    }
    std::vector<Variance> others;
    if (const auto error = baseline.error(all))
        others.push_back({.value = *error * *error / (observed * observed),
                          .freedom = static_cast<double>(bills.size() - 1)});
    return estimate_ratio(rows, others);
}

/// How wide the interval is for its value, or nothing if that is not known or is no cost.
std::optional<double> relative_half(const Estimate& estimate) {
    if (!estimate.low || estimate.value <= 0) return {};
    return (*estimate.high - *estimate.low) / 2 / estimate.value;
}

} // namespace

PeerSoaked estimate_peer_soaked(const PeerMeasurement& heard) {
    const auto absent = [](std::string why) {
        return PeerSoaked{.net_ratio = {}, .absent = std::move(why)};
    };
    if (!heard.windows)
        return absent(heard.windows_failure.empty() ? "its windows were not asked for"
                                                    : heard.windows_failure);
    const CalibrationState calibrated = heard.after.front().totals.calibration;
    if (calibrated == CalibrationState::missing || calibrated == CalibrationState::doubtful)
        return absent("its soakers are not calibrated well");
    const Windows windows = sort(heard);
    if (auto why = trouble(heard, windows); !why.empty()) return absent(std::move(why));
    auto found = net_ratio(windows);
    const auto half = found ? relative_half(found->estimate) : std::nullopt;
    if (!half) return absent("its windows tell no cost");
    constexpr double widest = 0.2;
    if (*half > widest)
        return absent(fmt::format("its windows tell it to ± {:.0f} % only; a longer load, or a "
                                  "higher --duty of its agent, would tell it better",
                                  100 * *half));
    return {.net_ratio = std::move(found), .absent = {}};
}

} // namespace demand
