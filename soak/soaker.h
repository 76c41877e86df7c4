#pragma once

#include "soak/record_ring.h"
#include "soak/slot.h"

#include <cstddef>
#include <functional>
#include <span>

namespace soak {

/// Where a soaker works and with what.
struct SoakerPlace {
    int cpu = 0;
    std::span<std::byte> memory; ///< the working set's; may be empty
    size_t evicting_bytes = 0;   ///< enough to throw the working set out of the caches below L3
    bool counter = true;         ///< time chunks by the CPU's counter, else CLOCK_MONOTONIC_RAW
    std::function<void()> bind;  ///< pins the calling thread to the CPU
    RecordRing* ring = nullptr;  ///< to record into when it is wanted; may be absent
};

/// A soaker thread: does what its slot commands until that is Mode::quit.
void run_soaker(Slot& slot, const SoakerPlace& place);

} // namespace soak
