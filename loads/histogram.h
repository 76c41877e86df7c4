#pragma once

#include "base/time.h"

#include <array>
#include <cstdint>
#include <optional>

namespace loads {

using base::Nanoseconds;

/// Durations, counted in 64 equal steps an octave: a quantile is true within 1 %. Fixed size, so
/// that adding costs the same all the time. Beyond 2^40 ns (18 minutes) the last bucket takes all.
class Histogram {
  public:
    void add(Nanoseconds time);
    Histogram& operator+=(const Histogram& other);

    uint64_t count() const { return count_; }
    /// nullopt while empty.
    std::optional<Nanoseconds> mean() const;
    /// The middle of the bucket where `ratio` (0..1) of all are reached; nullopt while empty.
    std::optional<Nanoseconds> quantile(double ratio) const;

  private:
    static constexpr int step_bits = 6;
    static constexpr int steps = 1 << step_bits;
    static constexpr int max_bits = 40;

    static size_t bucket_of(uint64_t value);
    static uint64_t middle_of(size_t bucket);

    std::array<uint64_t, (max_bits - step_bits + 1) * steps> buckets_{};
    uint64_t count_ = 0;
    Nanoseconds sum_{};
};

} // namespace loads
