#pragma once

#include <cstdint>
#include <map>
#include <string_view>

namespace probes {

/// Interrupts that one CPU sends to another, by CPU. Empty: this kernel or machine has no such line
/// (aarch64 has no TLB shootdowns).
struct InterruptCounts {
    std::map<int, uint64_t> reschedule, function_call, tlb_shootdown;
};

/// /proc/interrupts. The lines are found by their description: their short names differ between
/// architectures. Offline CPUs have no column and are absent. Throws ParseError.
InterruptCounts parse_interrupts(std::string_view text);

} // namespace probes
