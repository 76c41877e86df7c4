#include "demand/history.h"

#include <algorithm>
#include <cmath>

namespace demand {
namespace {

constexpr double most_packets = 0.9;

/// Nothing that is counted falls, but a CPU that comes and goes between two readings may cost a
/// little of its own.
Nanoseconds grown(Nanoseconds now, Nanoseconds before) {
    return std::max(now - before, Nanoseconds::zero());
}

soak::CpuWindow operator-(const soak::CpuWindow& now, const soak::CpuWindow& before) {
    soak::CpuWindow change{.elapsed = grown(now.elapsed, before.elapsed),
                           .soaked = grown(now.soaked, before.soaked),
                           .own = grown(now.own, before.own),
                           .stolen = grown(now.stolen, before.stolen)};
    const auto &a = now.causes, &b = before.causes;
    change.causes = {.tasks = grown(a.tasks, b.tasks),
                     .interrupts = grown(a.interrupts, b.interrupts),
                     .core = grown(a.core, b.core),
                     .cache = grown(a.cache, b.cache),
                     .unexplained = grown(a.unexplained, b.unexplained)};
    if (a.hypervisor)
        change.causes.hypervisor = grown(*a.hypervisor, b.hypervisor.value_or(Nanoseconds()));
    return change;
}

CpuTotals operator-(const CpuTotals& now, const CpuTotals& before) {
    CpuTotals change{.cpu = now.cpu,
                     .accounted = grown(now.accounted, before.accounted),
                     .steal = grown(now.steal, before.steal),
                     .tick_busy = grown(now.tick_busy, before.tick_busy),
                     .windows = now.windows - before.windows,
                     .carried_over = grown(now.carried_over, before.carried_over)};
    if (now.busy && before.busy) change.busy = grown(*now.busy, *before.busy);
    change.cache = {.seconds = std::max(now.cache.seconds - before.cache.seconds, 0.0),
                    .variance = std::max(now.cache.variance - before.cache.variance, 0.0)};
    return change;
}

std::vector<CpuShare> shares(const Totals& now, const Totals& before) {
    std::vector<CpuShare> shares;
    for (const auto& cpu : now.cpus) {
        CpuShare share{.cpu = cpu.cpu};
        const auto found = std::find_if(before.cpus.begin(), before.cpus.end(),
                                        [&](const auto& one) { return one.cpu == cpu.cpu; });
        // One that has begun anew was away.
        if (found != before.cpus.end() && cpu.busy && found->busy &&
            cpu.accounted > found->accounted)
            share.busy_ratio = base::to_seconds(grown(*cpu.busy, *found->busy)) /
                               base::to_seconds(cpu.accounted - found->accounted);
        shares.push_back(share);
    }
    return shares;
}

void add_devices(Stretch& stretch, const Totals& now, const Totals& before) {
    for (const auto& device : now.devices) {
        const auto found =
            std::find_if(before.devices.begin(), before.devices.end(), [&](const auto& one) {
                return one.index == device.index && one.name == device.name;
            });
        const auto start = found == before.devices.end() ? DeviceTotals() : *found;
        // A device that went and came back under its old number begins anew.
        if (device.packets() <= start.packets()) continue;
        stretch.devices.push_back({.device = device.name,
                                   .packets = device.packets() - start.packets(),
                                   .bytes = device.bytes() - start.bytes()});
        stretch.packets += stretch.devices.back().packets;
        stretch.bytes += stretch.devices.back().bytes;
    }
}

} // namespace

void History::add(PublishedTotals totals) {
    if (last_ && totals->time - last_->time < step) return;
    if (last_) {
        auto made = std::make_shared<HistoryStep>();
        made->unix_seconds = totals->unix_seconds;
        made->cost = sum_of_cpus(*totals) - sum_of_cpus(*last_);
        add_devices(*made, *totals, *last_);
        made->cpus = shares(*totals, *last_);
        steps_.push_back(std::move(made));
        if (steps_.size() > most_steps) steps_.pop_front();
    }
    last_ = std::move(totals);
}

Stretch last(const History::Steps& steps, Nanoseconds length) {
    Stretch sum{.cost = {.busy = Nanoseconds()}};
    const auto wanted = static_cast<size_t>(length / History::step);
    const auto begin = steps.end() - static_cast<ptrdiff_t>(std::min(wanted, steps.size()));
    for (auto at = begin; at != steps.end(); ++at) {
        const auto& one = **at;
        sum.unix_seconds = one.unix_seconds;
        sum.cost = sum.cost + one.cost;
        sum.packets += one.packets;
        sum.bytes += one.bytes;
        for (const auto& carried : one.devices) {
            const auto found =
                std::find_if(sum.devices.begin(), sum.devices.end(),
                             [&](const auto& known) { return known.device == carried.device; });
            if (found == sum.devices.end()) {
                sum.devices.push_back(carried);
            } else {
                found->packets += carried.packets;
                found->bytes += carried.bytes;
            }
        }
    }
    return sum;
}

std::optional<Cost> cost_of(const Stretch& stretch) {
    const auto& sum = stretch.cost;
    if (!sum.busy || sum.accounted == Nanoseconds::zero()) return std::nullopt;
    Cost cost{.cpu_seconds = base::to_seconds(*sum.busy),
              .accounted_seconds = base::to_seconds(sum.accounted),
              .packets = stretch.packets,
              .bytes = stretch.bytes};
    if (sum.carried_over > Nanoseconds::zero()) {
        const double times = cost.accounted_seconds / base::to_seconds(sum.carried_over);
        cost.cpu_seconds += times * sum.cache.seconds;
        cost.standard_error = times * std::sqrt(sum.cache.variance);
    }
    for (const auto& carried : stretch.devices)
        if (static_cast<double>(carried.packets) >=
            most_packets * static_cast<double>(stretch.packets)) {
            cost.device = carried.device;
            cost.packets = carried.packets;
            cost.bytes = carried.bytes;
        }
    return cost;
}

} // namespace demand
