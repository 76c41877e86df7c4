#include "commands/diagnosis_topics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace commands {
namespace {

using base::Finding;
using base::Severity;

/// Reading these is a system call and an access to a slow device.
constexpr std::array<std::string_view, 5> slow_clocks{"hpet", "acpi_pm", "pit", "jiffies",
                                                      "refined-jiffies"};

Finding clock(const Facts& facts) {
    const auto name = setting(facts, "clock_source");
    if (name.empty())
        return {"clock", Severity::note, "The kernel's clock source cannot be told.",
                "Whether reading the clock is cheap is not known."};
    const auto& sources = facts.platform.clock_sources;
    const auto what =
        fmt::format("The kernel's clock is {} (of {}).", name, fmt::join(sources, ", "));
    if (std::find(slow_clocks.begin(), slow_clocks.end(), name) == slow_clocks.end())
        return {
            "clock", Severity::good, what,
            "Loads read it without a system call. Soakers read the CPU's counter instead, where "
            "that is steady."};
    const bool has_tsc = std::find(sources.begin(), sources.end(), "tsc") != sources.end();
    return {"clock", Severity::warning, what,
            "Reading it is slow: a load that asks for the time at every packet pays for that, and "
            "so does this instrument.",
            has_tsc ? "echo tsc | sudo tee "
                      "/sys/devices/system/clocksource/clocksource0/current_clocksource"
                    : ""};
}

Finding counter(const Facts& facts) {
    if (facts.timebase.counter())
        return {
            "counter", Severity::good,
            fmt::format("The CPU's counter is steady, at {:.4g} GHz.",
                        facts.timebase.ticks_per_ns()),
            "Chunks of well under a microsecond can be timed by it, whatever the kernel's clock "
            "is."};
    return {"counter", Severity::warning, "The CPU's counter is not steady.",
            "Either CPUID does not promise it or it disagrees with CLOCK_MONOTONIC_RAW. Chunks are "
            "timed by clock_gettime, which is coarser and costs more." +
                std::string(facts.platform.virtual_machine.guest
                                ? " A hypervisor can promise it: QEMU with -cpu "
                                  "host,migratable=off,+invtsc."
                                : "")};
}

Finding time_accounting(const Facts& facts) {
    const auto stopped = facts.observed.clock_stopped_ratio;
    if (!stopped)
        return not_measured("time-accounting",
                            "Whether thread clocks stop during interrupts or steal");
    if (*stopped > 1e-4)
        return {
            "time-accounting", Severity::note,
            fmt::format("Thread clocks stop during interrupts or steal: for {} of the time.",
                        say_percent(*stopped)),
            "The kernel keeps that time out of every thread's account "
            "(IRQ_TIME_ACCOUNTING or PARAVIRT_TIME_ACCOUNTING). The split allows for it, at the "
            "price of more clock readings (own)."};
    return {
        "time-accounting", Severity::good, "Thread clocks run on during interrupts and steal.",
        "Stalls without a switch count as interrupts without asking the clock. What `top` shows "
        "for a thread contains the interrupts that hit it."};
}

Finding tick(const Facts& facts) {
    const auto hz = setting(facts, "kernel_hz");
    const auto with_hz = hz.empty() ? std::string() : " (HZ is " + hz + ")";
    const bool off = setting(facts, "boot.nohz") == "off";
    if (off || facts.platform.tick_stops == false)
        return {
            "tick", Severity::warning,
            fmt::format("The tick does not stop when a CPU idles{}{}.",
                        off ? ", by nohz=off on the kernel's command line" : "", with_hz),
            "Idle time can then be counted in ticks, and short work between two of them is not "
            "seen. The finding idle-time tells what it is worth. A kernel that is built for it and "
            "booted without nohz=off stops it."};
    if (facts.platform.tick_stops)
        return {
            "tick", Severity::good, "The tick stops when a CPU idles" + with_hz + ".",
            "An idle CPU is left alone. The finding idle-time tells how exact its idle time is."};
    return {"tick", Severity::note,
            "Nothing says that the tick does not stop when a CPU idles" + with_hz + ".",
            "Only root can see whether it does.", "sudo grep nohz /proc/timer_list"};
}

Finding idle_time(const Facts& facts) {
    const auto error = facts.observed.idle_time_error_ratio;
    if (!error) return not_measured("idle-time", "How exact the kernel's idle time is");
    const auto what = fmt::format("The kernel's idle time is off by {}, measured in gaps of 20 µs.",
                                  say_percent(std::abs(*error)));
    if (std::abs(*error) <= 0.02)
        return {"idle-time", Severity::good, what,
                "Idle-time demand, from phases in which nobody soaks, can be trusted."};
    return {"idle-time", std::abs(*error) <= 0.1 ? Severity::warning : Severity::bad, what,
            "Idle-time demand is off by as much of the time between packets. Trust the soaked "
            "demand.",
            "cyclesoak run --continuous -- BENCHMARK"};
}

Finding lxcfs(const Facts& facts) {
    if (!facts.platform.lxcfs)
        return {"lxcfs", Severity::good, "/proc/stat is the kernel's own.",
                "Idle time and busy ticks are those of the machine."};
    return {
        "lxcfs", Severity::bad, "lxcfs is mounted over /proc/stat.",
        "Idle time and busy ticks are what lxcfs makes of this container's use, in steps of its "
        "own: there is no idle-time demand. Measure on the host, or take the mount away.",
        "sudo umount /proc/stat"};
}

} // namespace

base::Findings diagnose_clocks(const Facts& facts) {
    return {clock(facts), counter(facts),   time_accounting(facts),
            tick(facts),  idle_time(facts), lxcfs(facts)};
}

} // namespace commands
