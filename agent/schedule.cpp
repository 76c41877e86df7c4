#include "agent/schedule.h"

#include <algorithm>

namespace agent {

Schedule::Schedule(std::vector<int> cores, const Plan& plan, uint64_t seed, Nanoseconds now)
    : cores_(std::move(cores)), plan_(plan), random_(seed) {
    restart(now);
}

void Schedule::restart(Nanoseconds now) {
    steps_.clear();
    for (size_t cpu = 0; cpu < cores_.size(); ++cpu)
        steps_.push_back({What::soak, cpu, now + random_gap()});
}

Schedule::Step Schedule::next() const {
    return *std::min_element(steps_.begin(), steps_.end(),
                             [](const Step& a, const Step& b) { return a.at < b.at; });
}

bool Schedule::take(const Step& step, Nanoseconds now) {
    auto& next = steps_[step.cpu];
    switch (step.what) {
    case What::soak:
        if (!may_soak(step.cpu)) {
            next.at = now + random_gap();
            return false;
        }
        next = {What::begin, step.cpu, now + plan_.cut};
        break;
    case What::begin:
        next = {What::read, step.cpu, now + plan_.window + plan_.settling};
        break;
    case What::read:
        next = {What::soak, step.cpu, now + random_gap()};
        break;
    }
    return true;
}

/// The time between two windows of a CPU, of which cut and window are `duty`.
Nanoseconds Schedule::random_gap() {
    const double soaked = base::to_seconds(plan_.cut + plan_.window);
    std::exponential_distribution<double> gap(1 / (soaked / plan_.duty - soaked));
    return base::from_seconds(gap(random_));
}

bool Schedule::may_soak(size_t cpu) const {
    size_t others = 0;
    for (const auto& step : steps_) {
        if (step.what == What::soak || step.cpu == cpu) continue;
        if (cores_[step.cpu] == cores_[cpu]) return false;
        ++others;
    }
    return others == 0 || others + 1 < steps_.size();
}

} // namespace agent
