#include "demand/verification.h"

#include "demand/baseline.h"

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

/// Bills of one kind of phase, with the phase each is of.
struct Billed {
    const KnownPhase* known;
    Bill bill;
    double seconds;
};

std::vector<Billed> bill_all(const KnownLoad& load, PhaseKind kind) {
    std::vector<Billed> billed;
    for (const KnownPhase& known : load.phases) {
        if (known.phase.kind != kind) continue;
        if (auto bill = make_bill(known.phase))
            billed.push_back({&known, std::move(*bill), base::to_seconds(known.phase.elapsed)});
    }
    return billed;
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
        for (Billed& billed : bill_all(load, kind))
            bills.push_back(std::move(billed.bill));
    }
    return Baseline({median_bill(bills)});
}

bool has(const Bill& bill, Part part) {
    return std::any_of(bill.begin(), bill.end(),
                       [&](const auto& entry) { return entry.first.second == part; });
}

void check_soaked(LoadCheck& check, const std::vector<Billed>& phases, const Baseline& baseline) {
    const auto over_phases = [&](auto amount) {
        std::vector<double> ratios;
        for (const Billed& billed : phases)
            ratios.push_back(amount(billed) / billed.seconds);
        return median(std::move(ratios));
    };
    const auto net = [&](Part part) {
        return over_phases([&](const Billed& b) { return baseline.net(only(b.bill, part)); });
    };
    check.true_ratio =
        over_phases([](const Billed& b) { return base::to_seconds(b.known->truth); });
    check.stolen_ratio = over_phases([&](const Billed& b) { return baseline.net(b.bill); });
    check.baseline_ratio =
        over_phases([&](const Billed& b) { return total(baseline.expected(b.bill)); });
    check.tasks_ratio = net(Part::tasks);
    check.interrupts_ratio = net(Part::interrupts);
    if (!phases.empty() && has(phases.front().bill, Part::hypervisor))
        check.hypervisor_ratio = net(Part::hypervisor);
    check.core_ratio = net(Part::core);
    check.cache_ratio = net(Part::cache);
    check.unexplained_ratio = net(Part::unexplained);
}

/// Idle time comes in steps of 10 ms: a sum, not a median of short phases.
void check_free(LoadCheck& check, const std::vector<Billed>& phases, const Baseline& baseline) {
    double net = 0, truth = 0, seconds = 0;
    for (const Billed& billed : phases) {
        net += baseline.net(billed.bill);
        truth += base::to_seconds(billed.known->truth);
        seconds += billed.seconds;
    }
    if (seconds <= 0) return;
    check.idle_time_ratio = net / seconds;
    check.idle_time_true_ratio = truth / seconds;
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

std::vector<LoadCheck> check_loads(const std::vector<KnownLoad>& loads) {
    const Baseline soaked = make_baseline(loads, PhaseKind::soaked);
    const Baseline free = make_baseline(loads, PhaseKind::free);
    std::vector<LoadCheck> checks;
    for (const KnownLoad& load : loads) {
        LoadCheck& check = checks.emplace_back();
        check.name = load.name;
        check.evicts = load.evicts;
        check.wakes_often = load.wakes_often;
        check_soaked(check, bill_all(load, PhaseKind::soaked), soaked);
        check_free(check, bill_all(load, PhaseKind::free), free);
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
