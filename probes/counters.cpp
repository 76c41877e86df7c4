#include "probes/counters.h"

#include <algorithm>

namespace probes {
namespace {

template <typename Count>
Count grown(Count later, Count earlier) {
    return later > earlier ? later - earlier : Count{};
}

template <typename Count>
std::optional<Count> grown(const std::optional<Count>& later, const std::optional<Count>& earlier) {
    if (!later || !earlier) return std::nullopt;
    return grown(*later, *earlier);
}

CpuCounters difference(const CpuCounters& later, const CpuCounters& earlier) {
    return {.cpu = later.cpu,
            .idle = grown(later.idle, earlier.idle),
            .tick_busy = grown(later.tick_busy, earlier.tick_busy),
            .tick_total = grown(later.tick_total, earlier.tick_total),
            .steal = grown(later.steal, earlier.steal),
            .interrupts = grown(later.interrupts, earlier.interrupts),
            .task_time = grown(later.task_time, earlier.task_time),
            .kernel_network = grown(later.kernel_network, earlier.kernel_network),
            .reschedule = grown(later.reschedule, earlier.reschedule),
            .function_call = grown(later.function_call, earlier.function_call),
            .tlb_shootdown = grown(later.tlb_shootdown, earlier.tlb_shootdown)};
}

DeviceCounters difference(const DeviceCounters& later, const DeviceCounters& earlier) {
    return {.index = later.index,
            .name = later.name,
            .loopback = later.loopback,
            .rx_packets = grown(later.rx_packets, earlier.rx_packets),
            .tx_packets = grown(later.tx_packets, earlier.tx_packets),
            .rx_bytes = grown(later.rx_bytes, earlier.rx_bytes),
            .tx_bytes = grown(later.tx_bytes, earlier.tx_bytes)};
}

ProtocolCounters difference(const ProtocolCounters& later, const ProtocolCounters& earlier) {
    return {.tcp_segments_in = grown(later.tcp_segments_in, earlier.tcp_segments_in),
            .tcp_segments_out = grown(later.tcp_segments_out, earlier.tcp_segments_out),
            .udp_datagrams_in = grown(later.udp_datagrams_in, earlier.udp_datagrams_in),
            .udp_datagrams_out = grown(later.udp_datagrams_out, earlier.udp_datagrams_out),
            .udp_receive_errors = grown(later.udp_receive_errors, earlier.udp_receive_errors)};
}

std::vector<CpuCounters> difference(const std::vector<CpuCounters>& later,
                                    const std::vector<CpuCounters>& earlier) {
    std::vector<CpuCounters> cpus;
    for (const auto& now : later) {
        const auto then = std::find_if(earlier.begin(), earlier.end(),
                                       [&](const auto& one) { return one.cpu == now.cpu; });
        cpus.push_back(difference(now, then == earlier.end() ? CpuCounters{} : *then));
    }
    return cpus;
}

std::vector<DeviceCounters> difference(const std::vector<DeviceCounters>& later,
                                       const std::vector<DeviceCounters>& earlier) {
    std::vector<DeviceCounters> devices;
    for (const auto& now : later) {
        const auto then = std::find_if(earlier.begin(), earlier.end(), [&](const auto& one) {
            return one.index == now.index && one.name == now.name;
        });
        if (then != earlier.end()) devices.push_back(difference(now, *then));
    }
    return devices;
}

} // namespace

Counters operator-(const Counters& later, const Counters& earlier) {
    return {.time = later.time - earlier.time,
            .cpus = difference(later.cpus, earlier.cpus),
            .devices = difference(later.devices, earlier.devices),
            .protocols = difference(later.protocols, earlier.protocols)};
}

} // namespace probes
