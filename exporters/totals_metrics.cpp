#include "exporters/totals_metrics.h"

#include "exporters/metric_families.h"

#include <array>

namespace exporters {
namespace {

using base::to_seconds;
using demand::CpuTotals;
using demand::Totals;
using prometheus::MetricType;
using Value = std::optional<double>;

constexpr auto counter = MetricType::Counter, gauge = MetricType::Gauge;

Value seconds(std::optional<base::Nanoseconds> time) {
    return time ? Value(to_seconds(*time)) : std::nullopt;
}

Value number(std::optional<uint64_t> count) {
    return count ? Value(static_cast<double>(*count)) : std::nullopt;
}

/// Unix time; 0: not known.
Value moment(double unix_seconds) { return unix_seconds > 0 ? Value(unix_seconds) : std::nullopt; }

/// One with a value of its own in each T: a series for each of them.
template <typename T>
struct Of {
    Metric metric;
    Value (*value)(const T&);
};

constexpr std::array cpu_metrics{
    Of<CpuTotals>{{"cyclesoak_cpu_observed_seconds_total", counter,
                   "Time of soaked windows: short stretches at random moments in which a thread of "
                   "lowest priority soaked up all that the CPU had left over. It is the sum of "
                   "soaked, own and stolen seconds."},
                  [](const CpuTotals& cpu) { return seconds(cpu.windows.elapsed); }},
    Of<CpuTotals>{{"cyclesoak_cpu_soaked_seconds_total", counter,
                   "Time in soaked windows that was left over, counted in work of calibrated "
                   "length."},
                  [](const CpuTotals& cpu) { return seconds(cpu.windows.soaked); }},
    Of<CpuTotals>{{"cyclesoak_cpu_own_seconds_total", counter,
                   "Time in soaked windows that the instrument itself took."},
                  [](const CpuTotals& cpu) { return seconds(cpu.windows.own); }},
    Of<CpuTotals>{{"cyclesoak_cpu_busy_seconds_total", counter,
                   "Time that the CPU was neither idle nor with our soakers, by the kernel's exact "
                   "idle time: over all accounted time, not only windows. Absent where idle time "
                   "is not exact."},
                  [](const CpuTotals& cpu) { return seconds(cpu.busy); }},
};

constexpr Metric stolen{
    "cyclesoak_cpu_stolen_seconds_total", counter,
    "Time in soaked windows that was neither left over nor our own, by cause: tasks (other threads "
    "ran), interrupts (hard and soft ones; without the cause hypervisor also what that took), "
    "hypervisor (virtual CPU taken away, firmware), core (slower clock or busy sibling), cache "
    "(waited for memory), unexplained (the rest). An observation, not to be added to busy "
    "time: windows can disturb what runs. The highest value so far of a sum that can also fall."};

struct Cause {
    const char* name;
    Value (*value)(const soak::Causes&);
};
constexpr std::array causes{
    Cause{"tasks", [](const soak::Causes& all) { return seconds(all.tasks); }},
    Cause{"interrupts", [](const soak::Causes& all) { return seconds(all.interrupts); }},
    Cause{"hypervisor", [](const soak::Causes& all) { return seconds(all.hypervisor); }},
    Cause{"core", [](const soak::Causes& all) { return seconds(all.core); }},
    Cause{"cache", [](const soak::Causes& all) { return seconds(all.cache); }},
    Cause{"unexplained", [](const soak::Causes& all) { return seconds(all.unexplained); }},
};

/// Always of all CPUs together.
constexpr std::array sum_metrics{
    Of<CpuTotals>{{"cyclesoak_cpu_accounted_seconds_total", counter,
                   "CPU time over which busy and steal seconds are counted, all CPUs together: all "
                   "since the agent began, but for pauses in favour of a measurement."},
                  [](const CpuTotals& sum) { return seconds(sum.accounted); }},
    Of<CpuTotals>{{"cyclesoak_steal_seconds_total", counter,
                   "Time that the hypervisor admits to have taken, over all accounted time, all "
                   "CPUs together."},
                  [](const CpuTotals& sum) { return seconds(sum.steal); }},
    Of<CpuTotals>{{"cyclesoak_cache_carried_over_seconds_total", counter,
                   "What the cause cache is estimated to cost over the time that "
                   "cyclesoak_cache_covered_seconds_total counts, from soaked windows that did not "
                   "disturb what ran; all CPUs together. To be added to busy time. The highest "
                   "value so far of a sum that can also fall."},
                  [](const CpuTotals& sum) { return Value(sum.cache.seconds); }},
    Of<CpuTotals>{{"cyclesoak_cache_carried_over_variance_seconds_squared_total", counter,
                   "Variance of cyclesoak_cache_carried_over_seconds_total by sampling: the root "
                   "of its increase is the standard error of that one's increase."},
                  [](const CpuTotals& sum) { return Value(sum.cache.variance); }},
    Of<CpuTotals>{
        {"cyclesoak_cache_covered_seconds_total", counter,
         "The accounted time for which cyclesoak_cache_carried_over_seconds_total speaks, "
         "all CPUs together."},
        [](const CpuTotals& sum) { return seconds(sum.carried_over); }},
};

constexpr std::array device_metrics{
    Of<demand::DeviceTotals>{
        {"cyclesoak_network_receive_bytes_total", counter,
         "Bytes that the device received in accounted time."},
        [](const demand::DeviceTotals& device) { return number(device.rx_bytes); }},
    Of<demand::DeviceTotals>{
        {"cyclesoak_network_receive_packets_total", counter,
         "Packets that the device received in accounted time, as it counts them: frames, or "
         "buffers of up to 64 KB on loopback and virtual devices."},
        [](const demand::DeviceTotals& device) { return number(device.rx_packets); }},
    Of<demand::DeviceTotals>{
        {"cyclesoak_network_transmit_bytes_total", counter,
         "Bytes that the device sent in accounted time. Loopback counts each twice, sent and "
         "received."},
        [](const demand::DeviceTotals& device) { return number(device.tx_bytes); }},
    Of<demand::DeviceTotals>{
        {"cyclesoak_network_transmit_packets_total", counter,
         "Packets that the device sent in accounted time, as it counts them. Loopback counts each "
         "twice, sent and received."},
        [](const demand::DeviceTotals& device) { return number(device.tx_packets); }},
};

constexpr std::array activity_metrics{
    Of<demand::Activity>{
        {"cyclesoak_activity_seconds_total", counter,
         "Time inside and outside of soaked windows over which the other activity is counted."},
        [](const demand::Activity& activity) { return seconds(activity.time); }},
    Of<demand::Activity>{
        {"cyclesoak_activity_packets_total", counter,
         "Packets of all devices inside and outside of soaked windows; loopback counts each once. "
         "Unlike rates tell that windows disturb what runs."},
        [](const demand::Activity& activity) { return number(activity.packets); }},
    Of<demand::Activity>{
        {"cyclesoak_activity_reschedule_interrupts_total", counter,
         "Reschedule interrupts of all CPUs inside and outside of soaked windows."},
        [](const demand::Activity& activity) { return number(activity.reschedule); }},
    Of<demand::Activity>{
        {"cyclesoak_activity_function_call_interrupts_total", counter,
         "Function call interrupts of all CPUs inside and outside of soaked windows."},
        [](const demand::Activity& activity) { return number(activity.function_call); }},
};

constexpr std::array host_metrics{
    Of<Totals>{{"cyclesoak_tcp_receive_segments_total", counter,
                "TCP segments that the host received in accounted time, IPv4 and IPv6."},
               [](const Totals& totals) { return number(totals.protocols.tcp_segments_in); }},
    Of<Totals>{{"cyclesoak_tcp_transmit_segments_total", counter,
                "TCP segments that the host sent in accounted time, IPv4 and IPv6."},
               [](const Totals& totals) { return number(totals.protocols.tcp_segments_out); }},
    Of<Totals>{{"cyclesoak_udp_receive_datagrams_total", counter,
                "UDP datagrams that the host received in accounted time, IPv4 and IPv6."},
               [](const Totals& totals) { return number(totals.protocols.udp_datagrams_in); }},
    Of<Totals>{{"cyclesoak_udp_transmit_datagrams_total", counter,
                "UDP datagrams that the host sent in accounted time, IPv4 and IPv6."},
               [](const Totals& totals) { return number(totals.protocols.udp_datagrams_out); }},
    Of<Totals>{{"cyclesoak_windows_undisturbed", gauge,
                "1: rate of packets and interrupts per packet agree inside and outside of soaked "
                "windows, and the cause cache is carried over; 0: windows disturb what runs, and "
                "it is not. Absent: not known yet."},
               [](const Totals& totals) {
                   return totals.undisturbed ? Value(*totals.undisturbed) : std::nullopt;
               }},
    Of<Totals>{{"cyclesoak_windows_total", counter, "Soaked windows of a CPU that were kept."},
               [](const Totals& totals) { return number(totals.windows); }},
    Of<Totals>{
        {"cyclesoak_windows_beside_strangers_total", counter,
         "Of these, those in which somebody else was on the core, a neighbour of this virtual "
         "machine. Their cache is not carried over, nor is any to times in which most windows were "
         "such. Absent where that cannot be told: on hardware, or where sibling threads are "
         "known."},
        [](const Totals& totals) -> Value {
            if (!totals.windows_beside_strangers) return std::nullopt;
            return number(*totals.windows_beside_strangers);
        }},
    Of<Totals>{{"cyclesoak_calibration_timestamp_seconds", gauge,
                "When the calibration in use was made, that of the CPU with the oldest; absent "
                "without one. Unix time."},
               [](const Totals& totals) { return moment(totals.calibration_unix_seconds); }},
    Of<Totals>{{"cyclesoak_soakers_cpu_seconds_total", counter,
                "CPU time of the soakers, in windows, around them and while calibrating."},
               [](const Totals& totals) { return seconds(totals.soakers_cpu); }},
    Of<Totals>{{"cyclesoak_paused_seconds_total", counter,
                "Time in which the agent rested in favour of a measurement on this host."},
               [](const Totals& totals) { return seconds(totals.paused); }},
    Of<Totals>{{"cyclesoak_soaker_restarts_total", counter,
                "How often the soakers' process had ended unasked and was started anew."},
               [](const Totals& totals) { return number(totals.soaker_restarts); }},
    Of<Totals>{{"process_cpu_seconds_total", counter,
                "CPU time of the agent's own process, without the soakers."},
               [](const Totals& totals) { return seconds(totals.own.cpu); }},
    Of<Totals>{{"process_start_time_seconds", gauge, "When the agent began. Unix time."},
               [](const Totals& totals) { return moment(totals.own.started_unix_seconds); }},
    Of<Totals>{{"process_resident_memory_bytes", gauge, "Memory of the agent that is resident."},
               [](const Totals& totals) { return number(totals.own.resident_bytes); }},
    Of<Totals>{{"process_open_fds", gauge, "Open file descriptors of the agent."},
               [](const Totals& totals) { return number(totals.own.open_descriptors); }},
    Of<Totals>{{"process_max_fds", gauge, "File descriptors that the agent may have open."},
               [](const Totals& totals) { return number(totals.own.most_descriptors); }},
};

constexpr Metric stalls{"cyclesoak_stall_seconds", MetricType::Histogram,
                        "Interruptions of the soakers in soaked windows by length, all CPUs."};
constexpr Metric discarded{"cyclesoak_windows_discarded_total", counter,
                           "Soaked windows of a CPU that were thrown away, by reason."};
constexpr Metric calibration{
    "cyclesoak_calibration_state", gauge,
    "1 for what the calibration in use is: good, uncertain (made on a busy "
    "machine) or doubtful (contradicted by windows since). None is 1 "
    "without a calibration."};
constexpr Metric build_info{"cyclesoak_build_info", gauge, "1, and which program this is."};
constexpr Metric host_info{"cyclesoak_host_info", gauge,
                           "1, and what the machine is like and how soakers yield there."};

/// One series, or one a CPU.
void add_cpu(MetricFamilies& families, const Metric& metric, Labels labels, const CpuTotals& cpu,
             bool per_cpu, Value value) {
    if (per_cpu) labels.insert(labels.begin(), {"cpu", std::to_string(cpu.cpu)});
    families.add(metric, labels, value);
}

void add_cpus(MetricFamilies& families, const std::vector<CpuTotals>& cpus, bool per_cpu) {
    for (const auto& [metric, value] : cpu_metrics)
        for (const CpuTotals& cpu : cpus)
            add_cpu(families, metric, {}, cpu, per_cpu, value(cpu));
    for (const CpuTotals& cpu : cpus)
        for (const auto& [name, value] : causes)
            add_cpu(families, stolen, {{"cause", name}}, cpu, per_cpu, value(cpu.windows.causes));
}

void add_network(MetricFamilies& families, const Totals& totals) {
    for (const auto& [metric, value] : device_metrics)
        for (const auto& device : totals.devices)
            families.add(metric, {{"device", device.name}}, value(device));
    for (const auto& [metric, value] : activity_metrics) {
        families.add(metric, {{"where", "inside"}}, value(totals.inside));
        families.add(metric, {{"where", "outside"}}, value(totals.outside));
    }
}

prometheus::ClientMetric::Histogram make_histogram(const demand::StallHistogram& from) {
    prometheus::ClientMetric::Histogram histogram{.sample_sum = to_seconds(from.sum)};
    for (size_t i = 0; i < from.count.size(); ++i) {
        histogram.sample_count += from.count[i];
        if (i < demand::stall_bounds.size())
            histogram.bucket.push_back(
                {histogram.sample_count, to_seconds(demand::stall_bounds[i])});
    }
    return histogram;
}

void add_calibration(MetricFamilies& families, demand::CalibrationState state) {
    using enum demand::CalibrationState;
    for (const auto& [name, which] :
         {std::pair{"good", good}, {"uncertain", uncertain}, {"doubtful", doubtful}})
        families.add(calibration, {{"state", name}}, which == state);
}

void add_infos(MetricFamilies& families, const Totals& totals) {
    families.add(build_info, {{"version", CYCLESOAK_VERSION}}, 1);
    Labels host;
    for (const auto& [name, text] : totals.host)
        host.push_back({name, text});
    if (!totals.yielding.empty()) host.push_back({"yielding", totals.yielding});
    families.add(host_info, host, 1);
}

} // namespace

TotalsCollectable::TotalsCollectable(demand::PublishedTotals totals, std::optional<bool> per_cpu)
    : totals_(std::move(totals)),
      per_cpu_(per_cpu.value_or(totals_->cpus.size() <= most_cpus_with_series)) {}

std::vector<prometheus::MetricFamily> TotalsCollectable::Collect() const {
    MetricFamilies families;
    const auto sum = demand::sum_of_cpus(*totals_);
    add_cpus(families, per_cpu_ ? totals_->cpus : std::vector{sum}, per_cpu_);
    for (const auto& [metric, value] : sum_metrics)
        families.add(metric, {}, value(sum));
    add_network(families, *totals_);
    for (const auto& [metric, value] : host_metrics)
        families.add(metric, {}, value(*totals_));
    families.add(stalls, make_histogram(totals_->stalls));
    for (const auto& [reason, count] : totals_->discarded)
        families.add(discarded, {{"reason", reason}}, number(count));
    add_calibration(families, totals_->calibration);
    add_infos(families, *totals_);
    return families.take();
}

std::string make_metrics(const demand::PublishedTotals& totals, std::optional<bool> per_cpu) {
    return to_text(TotalsCollectable(totals, per_cpu).Collect());
}

} // namespace exporters
