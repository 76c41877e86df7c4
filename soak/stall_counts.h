#pragma once

#include "base/time.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace soak {

using base::Nanoseconds;

/// The longest stalls that each but the last count holds.
inline constexpr std::array<Nanoseconds, 8> stall_bounds{
    std::chrono::microseconds(2),  std::chrono::microseconds(5),  std::chrono::microseconds(10),
    std::chrono::microseconds(20), std::chrono::microseconds(50), std::chrono::microseconds(200),
    std::chrono::milliseconds(1),  std::chrono::milliseconds(10),
};

/// How many stalls were how long: each is counted once, under the first bound that it fits.
struct StallCounts {
    std::array<uint64_t, stall_bounds.size() + 1> count{};
    Nanoseconds sum{};
    bool operator==(const StallCounts&) const = default;
};

/// The number in `count` of a stall of this length.
size_t stall_index(Nanoseconds length);

StallCounts operator-(const StallCounts& later, const StallCounts& earlier);
StallCounts operator+(const StallCounts& a, const StallCounts& b);

} // namespace soak
