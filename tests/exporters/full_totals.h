#pragma once

#include "demand/totals.h"

/// Totals in which everything has a value but the cause hypervisor.
inline demand::Totals full_totals(int cpus = 2) {
    using namespace std::chrono_literals;
    demand::Totals totals{.time = 1000s, .unix_seconds = 1.7e9 + 1000, .yielding = "cgroup"};
    for (int cpu = 0; cpu < cpus; ++cpu) {
        demand::CpuTotals counted{
            .cpu = cpu, .accounted = 900s, .busy = 90s, .steal = 1500ms, .tick_busy = 60s};
        counted.windows = {
            .cpu = cpu, .elapsed = 9s, .soaked = 7s, .own = 100ms, .stolen = 1900ms, .stalls = 1};
        counted.windows.causes = {
            .tasks = 1s, .interrupts = 500ms, .core = 200ms, .cache = 150ms, .unexplained = 50ms};
        counted.cache = {.seconds = 12.5, .variance = 0.25};
        counted.carried_over = 800s;
        totals.cpus.push_back(counted);
    }
    totals.devices = {{1, "lo", true, 10, 10, 1000, 1000}, {2, "eth0", false, 20, 30, 2000, 3000}};
    totals.protocols = {.tcp_segments_in = 40,
                        .tcp_segments_out = 41,
                        .udp_datagrams_in = 42,
                        .udp_datagrams_out = 43};
    totals.inside = {.time = 9s, .packets = 1, .reschedule = 2, .function_call = 3};
    totals.outside = {.time = 891s, .packets = 100, .reschedule = 200, .function_call = 300};
    totals.undisturbed = true;
    totals.stalls = {.count = {1, 2, 3, 4, 5, 6, 7, 8, 9}, .sum = 250ms};
    totals.windows = 900;
    totals.windows_beside_strangers = 30;
    totals.discarded = {{"overrun", 2}, {"throttled", 0}, {"moved", 0}};
    totals.soakers_cpu = 20s;
    totals.paused = 100s;
    totals.soaker_restarts = 1;
    totals.calibration = demand::CalibrationState::good;
    totals.calibration_unix_seconds = 1.7e9;
    totals.own = {.cpu = 500ms,
                  .resident_bytes = 8 << 20,
                  .virtual_bytes = 32 << 20,
                  .threads = 3,
                  .open_descriptors = 20,
                  .most_descriptors = 1024,
                  .started_unix_seconds = 1.7e9};
    totals.host = {{"kernel", "6.1.0"}, {"cpu_model", "A \"fast\" CPU"}};
    return totals;
}
