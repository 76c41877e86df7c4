#pragma once

#include "base/time.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace probes {

using base::Nanoseconds;

/// What the kernel counts for one CPU. Cumulative in a reading, differences after subtraction.
struct CpuCounters {
    int cpu = 0;
    std::optional<Nanoseconds> idle;       ///< idle + iowait of /proc/stat (steps of 10 ms)
    std::optional<Nanoseconds> tick_busy;  ///< user, nice, system, irq, softirq, steal ticks
    std::optional<Nanoseconds> tick_total; ///< the above and idle, iowait: what `top` divides by
    std::optional<Nanoseconds> steal;      ///< what the hypervisor admits to
    std::optional<Nanoseconds> interrupts; ///< irq + softirq columns
    std::optional<Nanoseconds> task_time;  ///< the scheduler's own task time, all tasks
    std::optional<Nanoseconds> kernel_network; ///< ksoftirqd, threaded NAPI, kworkers
    std::optional<uint64_t> reschedule;        ///< RES
    std::optional<uint64_t> function_call;     ///< CAL
    std::optional<uint64_t> tlb_shootdown;     ///< TLB, which CAL contains
};

/// A network device, keyed by index and name. 64-bit counters from rtnetlink.
struct DeviceCounters {
    int index = 0;
    std::string name;
    bool loopback = false;
    uint64_t rx_packets = 0, tx_packets = 0, rx_bytes = 0, tx_bytes = 0;

    /// Packets this host handled: on loopback each is sent and received once and counts once,
    /// elsewhere received and sent ones are different packets.
    uint64_t packets() const { return loopback ? rx_packets : rx_packets + tx_packets; }
    uint64_t bytes() const { return loopback ? rx_bytes : rx_bytes + tx_bytes; }
};

/// Host-wide counters of /proc/net/snmp and snmp6: IPv4 and IPv6 together.
struct ProtocolCounters {
    std::optional<uint64_t> tcp_segments_in, tcp_segments_out;
    std::optional<uint64_t> udp_datagrams_in, udp_datagrams_out;
    std::optional<uint64_t> udp_receive_errors; ///< full socket buffers included
};

/// Everything that is read at one edge of a phase; after subtraction, what happened between two.
struct Counters {
    Nanoseconds time{}; ///< CLOCK_MONOTONIC_RAW of the reading; after subtraction, the time between
    std::vector<CpuCounters> cpus;       ///< of the CPUs that were asked for, in their order
    std::vector<DeviceCounters> devices; ///< by index
    ProtocolCounters protocols;
};

/// What happened between two readings. A counter that is absent in either is absent; one that went
/// backwards counts 0 (a small step back or a reset is never a huge or a negative figure). Devices
/// that are not in both readings under the same index and name are left out.
Counters operator-(const Counters& later, const Counters& earlier);

} // namespace probes
