#include "demand/verification.h"

#include "demand/baseline.h"
#include "demand/core_share.h"

#include <algorithm>
#include <cmath>

namespace demand {
namespace {

constexpr auto no_load = "idle";

std::optional<double> median(std::vector<double> values) {
    if (values.empty()) return {};
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// A phase: what was billed, what was true.
struct Measured {
    Bill bill;
    double truth = 0, seconds = 0;
};

std::optional<double> core_share(const KnownPhase& known) {
    if (known.phase.soaked.empty()) return {};
    return known.phase.soaked.front().core_share_ratio;
}

/// The phases of one kind that could be measured, without those that a stranger disturbed.
struct Selection {
    std::vector<Measured> phases;
    double disturbed_ratio = 0;
};

Selection select(const KnownLoad& load, PhaseKind kind) {
    std::vector<const KnownPhase*> phases;
    std::vector<double> shares;
    for (const KnownPhase& known : load.phases) {
        if (known.phase.kind != kind) continue;
        phases.push_back(&known);
        if (const auto share = core_share(known)) shares.push_back(*share);
    }
    const double least = least_undisturbed_share(std::move(shares));
    Selection selection;
    double all = 0, lost = 0;
    for (const KnownPhase* known : phases) {
        const double seconds = base::to_seconds(known->phase.elapsed);
        all += seconds;
        if (core_share(*known).value_or(least) < least)
            lost += seconds;
        else if (auto bill = make_bill(known->phase); bill && seconds > 0)
            selection.phases.push_back({std::move(*bill), base::to_seconds(known->truth), seconds});
    }
    if (all > 0) selection.disturbed_ratio = lost / all;
    return selection;
}

/// The median phase in each part, so that an outlier weighs no more here than in what it is
/// subtracted from.
Bill median_bill(const std::vector<Bill>& bills) {
    std::map<Bill::key_type, std::vector<double>> rates;
    for (const Bill& bill : bills)
        for (const auto& [key, part] : bill)
            if (part.exposure > 0) rates[key].push_back(part.amount / part.exposure);
    Bill middle;
    for (auto& [key, values] : rates)
        middle[key] = {.amount = *median(std::move(values)), .exposure = 1};
    return middle;
}

Baseline make_baseline(const std::vector<KnownLoad>& loads, PhaseKind kind) {
    std::vector<Bill> bills;
    for (const KnownLoad& load : loads) {
        if (load.name != no_load) continue;
        for (Measured& phase : select(load, kind).phases)
            bills.push_back(std::move(phase.bill));
    }
    return Baseline({median_bill(bills)});
}

/// The median phase of what `amount` says of each, as a ratio.
template <typename Amount>
std::optional<double> median_ratio(const Selection& selection, Amount amount) {
    std::vector<double> ratios;
    for (const Measured& phase : selection.phases)
        ratios.push_back(amount(phase) / phase.seconds);
    return median(std::move(ratios));
}

double truth(const Measured& phase) { return phase.truth; }

bool has(const Bill& bill, Part part) {
    return std::any_of(bill.begin(), bill.end(),
                       [&](const auto& entry) { return entry.first.second == part; });
}

void check_soaked(LoadCheck& check, const Selection& soaked, const Baseline& baseline) {
    const auto net = [&](Part part) {
        return median_ratio(
            soaked, [&](const Measured& phase) { return baseline.net(only(phase.bill, part)); });
    };
    check.disturbed_ratio = soaked.disturbed_ratio;
    check.true_ratio = median_ratio(soaked, truth);
    check.stolen_ratio =
        median_ratio(soaked, [&](const Measured& phase) { return baseline.net(phase.bill); });
    check.baseline_ratio = median_ratio(
        soaked, [&](const Measured& phase) { return total(baseline.expected(phase.bill)); });
    check.tasks_ratio = net(Part::tasks);
    check.interrupts_ratio = net(Part::interrupts);
    if (!soaked.phases.empty() && has(soaked.phases.front().bill, Part::hypervisor))
        check.hypervisor_ratio = net(Part::hypervisor);
    check.core_ratio = net(Part::core);
    check.cache_ratio = net(Part::cache);
    check.unexplained_ratio = net(Part::unexplained);
}

void check_free(LoadCheck& check, const Selection& free, const Baseline& baseline) {
    check.idle_time_ratio =
        median_ratio(free, [&](const Measured& phase) { return baseline.net(phase.bill); });
    check.idle_time_true_ratio = median_ratio(free, truth);
}

/// Least squares; `of` names the quantity.
double slope(const std::vector<FreeReading>& readings, Nanoseconds FreeReading::*of) {
    const auto count = static_cast<double>(readings.size());
    const FreeReading& first = readings.front();
    double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (const FreeReading& reading : readings) {
        const double x = base::to_seconds(reading.time - first.time);
        const double y = base::to_seconds(reading.*of - first.*of);
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_xy += x * y;
    }
    return (count * sum_xy - sum_x * sum_y) / (count * sum_xx - sum_x * sum_x);
}

class Judge {
  public:
    void check(const std::string& figure, const std::string& load, std::optional<double> reported,
               std::optional<double> truth, double limit) {
        if (!reported || !truth) return;
        const Accuracy accuracy{figure, load, *reported - *truth, limit};
        const auto known = std::find_if(worst_.begin(), worst_.end(), [&](const Accuracy& other) {
            return other.figure == figure;
        });
        if (known == worst_.end())
            worst_.push_back(accuracy);
        else if (std::abs(accuracy.error) > std::abs(known->error))
            *known = accuracy;
    }

    std::vector<Accuracy> worst() { return std::move(worst_); }

  private:
    std::vector<Accuracy> worst_;
};

std::optional<double> taken_limit(const std::string& yielding) {
    if (yielding == "none") return {};
    return yielding == "autogroup" ? 0.015 : 0.003;
}

} // namespace

std::optional<KnownPhase> make_free_phase(int cpu, const std::vector<FreeReading>& readings) {
    if (readings.size() < 2 || readings.back().time <= readings.front().time) return {};
    KnownPhase known;
    known.phase.elapsed = readings.back().time - readings.front().time;
    const auto over_phase = [&](Nanoseconds FreeReading::*of) {
        return Nanoseconds(
            std::llround(slope(readings, of) * static_cast<double>(known.phase.elapsed.count())));
    };
    known.truth = over_phase(&FreeReading::truth);
    known.phase.counters.cpus.push_back({.cpu = cpu, .idle = over_phase(&FreeReading::idle)});
    return known;
}

std::vector<LoadCheck> check_loads(const std::vector<KnownLoad>& loads) {
    const Baseline soaked = make_baseline(loads, PhaseKind::soaked);
    const Baseline free = make_baseline(loads, PhaseKind::free);
    std::vector<LoadCheck> checks;
    for (const KnownLoad& load : loads) {
        LoadCheck& check = checks.emplace_back();
        check.name = load.name;
        check.evicts = load.evicts;
        check.wakes_often = load.wakes_often;
        check_soaked(check, select(load, PhaseKind::soaked), soaked);
        check_free(check, select(load, PhaseKind::free), free);
    }
    return checks;
}

std::vector<Accuracy> judge(const Verification& verification) {
    Judge judge;
    for (const LoadCheck& load : verification.loads) {
        judge.check("tasks", load.name, load.tasks_ratio, load.true_ratio, 0.003);
        judge.check("unexplained", load.name, load.unexplained_ratio, 0, 0.005);
        // What waking it or its evictions cost besides, no clock knows.
        if (!load.wakes_often) {
            judge.check("idle time", load.name, load.idle_time_ratio, load.idle_time_true_ratio,
                        0.007);
            judge.check("stolen", load.name, load.stolen_ratio, load.true_ratio, 0.02);
        }
        if (load.evicts) continue;
        judge.check("core", load.name, load.core_ratio, 0, 0.015);
        judge.check("cache", load.name, load.cache_ratio, 0, 0.015);
    }
    if (const auto limit = taken_limit(verification.yielding))
        judge.check("taken", "a busy thread", verification.taken_ratio, 0, *limit);
    return judge.worst();
}

bool Accuracy::kept() const { return std::abs(error) <= limit; }

bool Verification::trustworthy() const {
    return complete && std::all_of(accuracies.begin(), accuracies.end(),
                                   [](const Accuracy& accuracy) { return accuracy.kept(); });
}

} // namespace demand
