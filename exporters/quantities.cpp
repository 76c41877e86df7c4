#include "exporters/quantities.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace exporters {
namespace {

constexpr std::array list{
    Quantity{"soaked_phase_seconds", "seconds", "length of the soaked phases"},
    Quantity{"soaked_seconds", "seconds", "left over by all others"},
    Quantity{"own_seconds", "seconds", "the instrument itself"},
    Quantity{"clock_stopped_seconds", "seconds", "thread clock stood still in interrupts"},
    Quantity{"stolen_seconds", "seconds", "sum of the causes"},
    Quantity{"baseline_seconds", "seconds", "stolen without the load"},
    Quantity{"tasks", "seconds", "other threads ran"},
    Quantity{"interrupts", "seconds", "hard and soft interrupts"},
    Quantity{"hypervisor", "seconds", "virtual CPU taken away, firmware"},
    Quantity{"core", "seconds", "slower clock or busy sibling"},
    Quantity{"cache", "seconds", "waited for memory"},
    Quantity{"unexplained", "seconds", "what the causes leave over"},
    Quantity{"core_share_ratio", "ratio", "issue width left by the sibling"},
    Quantity{"stalls", "count", "interruptions of the soaker"},
    Quantity{"throughput_blocks", "count", "yardsticks that a sibling slows"},
    Quantity{"contended_blocks", "count", "of these, slow ones"},
    Quantity{"kernel_network_seconds", "seconds", "kernel network threads, in tasks"},
    Quantity{"steal_seconds", "seconds", "what the hypervisor admits to"},
    Quantity{"free_phase_seconds", "seconds", "length of the free phases"},
    Quantity{"idle_time_busy_seconds", "seconds", "not idle, by exact idle time"},
    Quantity{"idle_time_baseline_seconds", "seconds", "not idle without the load"},
    Quantity{"task_seconds", "seconds", "threads, by the scheduler"},
    Quantity{"tick_busy_seconds", "seconds", "busy ticks, as top counts them"},
    Quantity{"tick_total_seconds", "seconds", "all ticks, what top divides by"},
};

} // namespace

std::span<const Quantity> quantities() { return list; }

const Quantity& quantity(std::string_view name) {
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const Quantity& entry) { return entry.name == name; });
    if (found == list.end()) throw std::out_of_range("no quantity " + std::string(name));
    return *found;
}

} // namespace exporters
