#pragma once

#include "soak/calibration.h"

#include <array>
#include <bit>
#include <cstdint>

/// A made-up CPU in round figures: two ticks a nanosecond.
namespace usual {

using soak::ChunkKind;
using soak::index;
using soak::Ticks;

inline constexpr double ticks_per_ns = 2;

/// Chunks of 250, 200 and 220 ticks; stalls beyond 8000, 800 and 880.
inline soak::Limits limits() {
    return {.nominal = {250, 200, 220},
            .threshold = {8000, 800, 880},
            .reading = 4000,
            .ticks_per_ns = ticks_per_ns};
}

inline soak::CpuCalibration calibration(int cpu = 0) {
    return {.cpu = cpu, .mean = {250, 200, 220}, .limits = limits()};
}

/// A tally as plain numbers, to compare and to make up.
using Words = std::array<int64_t, sizeof(soak::Tally) / sizeof(int64_t)>;
inline Words words(const soak::Tally& tally) { return std::bit_cast<Words>(tally); }

/// Every sum is a multiple of `factor`, each another one.
inline soak::Tally filled(int64_t factor) {
    Words all{};
    for (size_t i = 0; i < all.size(); ++i)
        all[i] = factor * static_cast<int64_t>(i + 1);
    return std::bit_cast<soak::Tally>(all);
}

/// What a tally's sums say of the time that passed; equals until - begin.
inline Ticks accounted(const soak::Tally& tally, const soak::Limits& limits) {
    Ticks sum = tally.stall_ticks + tally.own_ticks;
    for (unsigned kind = 0; kind < soak::chunk_kinds; ++kind)
        sum += tally.chunks[kind].ticks + tally.chunks[kind].stalled * limits.nominal[kind];
    return sum;
}

} // namespace usual
