#include "demand/account.h"

#include "demand/carry_over.h"
#include "demand/core_share.h"
#include "soak/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace demand {
namespace {

constexpr size_t most_recent = 256;
/// Idle time that goes back further than this is another counter.
constexpr Nanoseconds small_step = std::chrono::seconds(1);
/// Idle time and the scheduler are compared over so long, and may differ by so much.
constexpr Nanoseconds check_length = std::chrono::minutes(1);
constexpr double tolerated = 0.02;

/// A small step back is held, so that what follows is not counted twice.
void hold(std::optional<Nanoseconds>& now, const std::optional<Nanoseconds>& before) {
    if (now && before && *now < *before && *before - *now < small_step) now = before;
}

using Cpus = std::vector<probes::CpuCounters>;

const probes::CpuCounters* find(const Cpus& cpus, int cpu) {
    const auto found =
        std::find_if(cpus.begin(), cpus.end(), [&](const auto& one) { return one.cpu == cpu; });
    return found == cpus.end() ? nullptr : &*found;
}

void hold_idle_time(Cpus& now, const Cpus& before) {
    for (auto& cpu : now)
        if (const auto* earlier = find(before, cpu.cpu)) {
            hold(cpu.idle, earlier->idle);
            hold(cpu.steal, earlier->steal);
        }
}

/// Idle time that still goes backwards begins anew, and of the time between nothing is known; nor
/// is it of a CPU that was not there before.
void drop_leaps(Cpus& change, const Cpus& now, const Cpus& before) {
    for (size_t i = 0; i < change.size(); ++i) {
        const auto* earlier = find(before, change[i].cpu);
        if (!earlier || now[i].idle < earlier->idle) change[i].idle.reset();
    }
}

Nanoseconds find(const std::map<int, Nanoseconds>& times, int cpu) {
    const auto found = times.find(cpu);
    return found == times.end() ? Nanoseconds::zero() : found->second;
}

template <typename Count>
void add_to(std::optional<Count>& sum, const std::optional<Count>& more) {
    if (more) sum = sum.value_or(Count{}) + *more;
}

} // namespace

void Account::expect_strangers(const base::CpuList& cpus) {
    among_strangers_ = cpus;
    if (!cpus.empty() && !totals_.windows_beside_strangers) totals_.windows_beside_strangers = 0;
}

void Account::resume(const Reading& reading) {
    last_ = reading;
    add_devices(reading.counters.devices, {});
    publish();
}

void Account::add(const Reading& reading) {
    if (!last_) return resume(reading);
    auto held = reading;
    hold_idle_time(held.counters.cpus, last_->counters.cpus);
    auto change = held.counters - last_->counters;
    drop_leaps(change.cpus, held.counters.cpus, last_->counters.cpus);
    for (const auto& cpu : change.cpus)
        add(cpu, change.time,
            std::max(find(held.soakers, cpu.cpu) - find(last_->soakers, cpu.cpu),
                     Nanoseconds::zero()));
    add_devices(reading.counters.devices, change.devices);
    auto& protocols = totals_.protocols;
    add_to(protocols.tcp_segments_in, change.protocols.tcp_segments_in);
    add_to(protocols.tcp_segments_out, change.protocols.tcp_segments_out);
    add_to(protocols.udp_datagrams_in, change.protocols.udp_datagrams_in);
    add_to(protocols.udp_datagrams_out, change.protocols.udp_datagrams_out);
    add_to(protocols.udp_receive_errors, change.protocols.udp_receive_errors);
    last_ = std::move(held);
    publish();
}

void Account::add(const probes::CpuCounters& change, Nanoseconds elapsed, Nanoseconds soaker) {
    totals_.soakers_cpu += soaker;
    // Without a line in /proc/stat it was offline, at one end at least.
    if (!change.idle) return;
    auto& cpu = cpus_[change.cpu];
    const auto busy = elapsed - *change.idle - soaker;
    cpu.totals.accounted += elapsed;
    cpu.totals.steal += change.steal.value_or(Nanoseconds::zero());
    if (change.tick_busy) cpu.totals.tick_busy += *change.tick_busy - soaker;
    cpu.busy += busy;
    cpu.busy_ratio = base::to_seconds(busy) / base::to_seconds(elapsed);
    if (change.task_time) check_idle_time(cpu, elapsed, busy, *change.task_time - soaker);
    cpu.totals.busy = cpu.inexact ? std::nullopt : std::optional(cpu.busy);
}

/// Threads cannot run for longer than the CPU is not idle.
void Account::check_idle_time(Cpu& cpu, Nanoseconds elapsed, Nanoseconds busy, Nanoseconds tasks) {
    cpu.checked += elapsed;
    cpu.checked_busy += busy;
    cpu.checked_tasks += tasks;
    if (cpu.checked < check_length) return;
    const double excess =
        base::to_seconds(cpu.checked_tasks - cpu.checked_busy) / base::to_seconds(cpu.checked);
    if (excess > tolerated && !cpu.inexact) {
        cpu.inexact = true;
        totals_.warnings.push_back(
            {"idle-time-inexact",
             fmt::format(
                 "The kernel's idle time is not exact here: on CPU {} threads ran for {:.1f} "
                 "% of a minute longer than it was not idle. So there is no busy time of "
                 "this CPU; what windows see stands.",
                 cpu.totals.cpu, 100 * excess)});
    }
    cpu.checked = cpu.checked_busy = cpu.checked_tasks = Nanoseconds::zero();
}

void Account::add_devices(const std::vector<probes::DeviceCounters>& now,
                          const std::vector<probes::DeviceCounters>& change) {
    const auto same = [](const auto& a) {
        return [&a](const auto& b) { return a.index == b.index && a.name == b.name; };
    };
    std::vector<DeviceTotals> devices;
    for (const auto& device : now) {
        DeviceTotals total{.index = device.index, .name = device.name, .loopback = device.loopback};
        const auto& known = totals_.devices;
        const auto before = std::find_if(known.begin(), known.end(), same(device));
        if (before != known.end()) total = *before;
        const auto more = std::find_if(change.begin(), change.end(), same(device));
        if (more != change.end()) {
            total.rx_packets += more->rx_packets;
            total.tx_packets += more->tx_packets;
            total.rx_bytes += more->rx_bytes;
            total.tx_bytes += more->tx_bytes;
        }
        devices.push_back(std::move(total));
    }
    totals_.devices = std::move(devices);
}

void Account::add_window(Nanoseconds start, const soak::CpuWindow& window,
                         const soak::StallCounts& stalls) {
    auto& cpu = cpus_[window.cpu];
    cpu.totals.windows = cpu.totals.windows + window;
    cpu.totals.windows.cpu = window.cpu;
    if (beside_stranger(window)) {
        ++*totals_.windows_beside_strangers;
        ++cpu.left_out;
    } else {
        carry_over(cpu, window);
    }
    totals_.stalls = totals_.stalls + stalls;
    ++totals_.windows;
    totals_.recent.push_back({start, window});
    if (totals_.recent.size() > most_recent) totals_.recent.erase(totals_.recent.begin());
}

bool Account::beside_stranger(const soak::CpuWindow& window) const {
    return contended(window) &&
           std::binary_search(among_strangers_.begin(), among_strangers_.end(), window.cpu);
}

void Account::carry_over(Cpu& cpu, const soak::CpuWindow& window) {
    cpu.block.push_back(window);
    if (cpu.block.size() < windows_per_block) return;
    const auto block = std::exchange(cpu.block, {});
    const auto time = cpu.totals.accounted - std::exchange(cpu.carried_until, cpu.totals.accounted);
    // In such company what passes for undisturbed is not quite so, and strangers come together.
    const bool mostly_left_out = std::exchange(cpu.left_out, 0) > windows_per_block;
    if (mostly_left_out || totals_.undisturbed != true || soak::contradicts_calibration(block))
        return;
    const auto sum = demand::carry_over(block, time);
    cpu.totals.cache.seconds += sum.seconds;
    cpu.totals.cache.variance += sum.variance;
    cpu.totals.carried_over += time;
}

void Account::compare(const Activity& inside, const Activity& outside) {
    const auto add = [](Activity& sum, const Activity& more) {
        sum.time += more.time;
        sum.packets += more.packets;
        sum.reschedule += more.reschedule;
        sum.function_call += more.function_call;
    };
    add(totals_.inside, inside);
    add(totals_.outside, outside);
    agreement_.add(inside, outside);
    totals_.undisturbed = agreement_.undisturbed();
}

std::optional<double> Account::busy_ratio(int cpu) const {
    const auto found = cpus_.find(cpu);
    return found == cpus_.end() ? std::nullopt : found->second.busy_ratio;
}

/// The CPUs that are there now; one that has gone begins anew when it is back.
void Account::publish() {
    totals_.time = last_->counters.time;
    std::erase_if(cpus_, [&](const auto& known) {
        const auto* cpu = find(last_->counters.cpus, known.first);
        const bool gone = !cpu || !cpu->idle;
        if (gone) totals_.departed = totals_.departed + known.second.totals;
        return gone;
    });
    totals_.cpus.clear();
    for (const auto& cpu : last_->counters.cpus) {
        if (!cpu.idle) continue;
        auto& totals = cpus_[cpu.cpu].totals;
        totals.cpu = cpu.cpu;
        totals_.cpus.push_back(totals);
    }
}

Activity make_activity(const probes::Counters& change) {
    Activity activity{.time = change.time};
    for (const auto& device : change.devices)
        activity.packets += device.packets();
    for (const auto& cpu : change.cpus) {
        activity.reschedule += cpu.reschedule.value_or(0);
        activity.function_call += cpu.function_call.value_or(0);
    }
    return activity;
}

} // namespace demand
