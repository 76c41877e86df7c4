#include "probes/probes.h"

#include "base/error.h"
#include "probes/interrupts.h"
#include "probes/protocols.h"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

namespace probes {
namespace {

std::string_view require_text(KeptFile& file) {
    if (const auto text = file.read()) return *text;
    throw std::runtime_error(fmt::format("{} is not there", file.path().string()));
}

template <typename Value>
std::optional<Value> find(const std::map<int, Value>& by_cpu, int cpu) {
    const auto found = by_cpu.find(cpu);
    return found == by_cpu.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

// The order is that of reading: idle time is set against the clock read just before it.
const Probes::Probe Probes::all_probes[] = {
    {"no-cpu-times", "CPU times", "there is no idle-time demand", &Probes::read_stat},
    {"no-task-time", "The scheduler's own task time",
     "the load's CPU time without soaking is known only to ticks", &Probes::read_task_time},
    {"no-interrupt-counts", "Interrupts between CPUs", "what soaking does to wake-ups is not shown",
     &Probes::read_interrupts},
    {"no-device-counters", "Network devices",
     "work can only be what the benchmark says, undivided between phases",
     &Probes::read_device_counters},
    {"no-protocol-counters", "TCP and UDP counters", "segments and datagrams are not counted",
     &Probes::read_protocols},
    {"no-kernel-network", "Kernel network threads", "their share of `tasks` is not told apart",
     &Probes::read_kernel_threads},
};

Probes::Probes(base::Root root, base::CpuList cpus, ReadDevices read_devices)
    : root_(std::move(root)), cpus_(std::move(cpus)), read_devices_(std::move(read_devices)),
      stat_(root_.at("proc/stat")), interrupts_(root_.at("proc/interrupts")),
      snmp_(root_.at("proc/net/snmp")), snmp6_(root_.at("proc/net/snmp6")) {
    read(); // opens what stays open, finds the threads, and what is missing is known from now on
}

Counters Probes::read() {
    Counters counters;
    for (const int cpu : cpus_)
        counters.cpus.emplace_back().cpu = cpu;
    counters.time = base::monotonic_raw_now();
    for (const auto& probe : all_probes)
        attempt(probe, counters);
    return counters;
}

void Probes::rediscover() {
    if (kernel_threads_) kernel_threads_->discover();
}

void Probes::attempt(const Probe& probe, Counters& counters) {
    try {
        (this->*probe.read)(counters);
    } catch (const std::exception& error) {
        const auto known = [&](const auto& warning) { return warning.id == probe.warning_id; };
        if (std::none_of(warnings_.begin(), warnings_.end(), known))
            warnings_.push_back(
                {probe.warning_id, fmt::format("{} could not be read ({}): {}.", probe.what,
                                               error.what(), probe.consequence)});
    }
}

void Probes::read_stat(Counters& counters) {
    const auto times = parse_stat(require_text(stat_), sysconf(_SC_CLK_TCK));
    for (auto& cpu : counters.cpus) {
        const auto found = find(times, cpu.cpu);
        if (!found) continue;
        cpu.idle = found->idle;
        cpu.tick_busy = found->busy;
        cpu.tick_total = found->idle + found->busy;
        cpu.steal = found->steal;
        cpu.interrupts = found->interrupts;
    }
}

void Probes::read_task_time(Counters& counters) {
    if (!task_time_) {
        task_time_source_ = find_task_time(root_);
        if (!task_time_source_)
            throw std::runtime_error("neither a root cpuacct cgroup nor /proc/schedstat");
        task_time_.emplace(root_.at(task_time_source_->name));
    }
    const auto text = require_text(*task_time_);
    const auto& columns = task_time_source_->columns;
    const auto times = columns.empty() ? parse_schedstat(text) : parse_usage_percpu(text, columns);
    for (auto& cpu : counters.cpus)
        cpu.task_time = find(times, cpu.cpu);
}

void Probes::read_interrupts(Counters& counters) {
    const auto counts = parse_interrupts(require_text(interrupts_));
    for (auto& cpu : counters.cpus) {
        cpu.reschedule = find(counts.reschedule, cpu.cpu);
        cpu.function_call = find(counts.function_call, cpu.cpu);
        cpu.tlb_shootdown = find(counts.tlb_shootdown, cpu.cpu);
    }
}

void Probes::read_kernel_threads(Counters& counters) {
    if (!kernel_threads_) kernel_threads_.emplace(root_, cpus_);
    const auto& times = kernel_threads_->read();
    if (times.empty()) throw std::runtime_error("none is visible from here");
    for (auto& cpu : counters.cpus)
        cpu.kernel_network = find(times, cpu.cpu);
}

void Probes::read_device_counters(Counters& counters) { counters.devices = read_devices_(); }

void Probes::read_protocols(Counters& counters) {
    const auto snmp = require_text(snmp_);
    counters.protocols = parse_protocols(snmp, snmp6_.read().value_or(""));
}

} // namespace probes
