#include "loads/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace loads {

// Octave 0 holds the values below 64 exactly; octave n the values with n + 6 bits after the first.
size_t Histogram::bucket_of(uint64_t value) {
    value = std::min(value, (uint64_t{1} << max_bits) - 1);
    if (value < steps) return value;
    const auto shift = std::bit_width(value) - step_bits - 1;
    return static_cast<size_t>(shift) * steps + (value >> shift);
}

uint64_t Histogram::middle_of(size_t bucket) {
    if (bucket < 2 * steps) return bucket;
    const auto shift = bucket / steps - 1;
    return ((bucket - shift * steps) << shift) + (uint64_t{1} << shift) / 2;
}

void Histogram::add(Nanoseconds time) {
    const auto value = std::max(time, Nanoseconds::zero());
    ++buckets_[bucket_of(static_cast<uint64_t>(value.count()))];
    ++count_;
    sum_ += value;
}

Histogram& Histogram::operator+=(const Histogram& other) {
    for (size_t i = 0; i < buckets_.size(); ++i)
        buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    return *this;
}

std::optional<Nanoseconds> Histogram::mean() const {
    if (count_ == 0) return std::nullopt;
    return sum_ / static_cast<int64_t>(count_);
}

std::optional<Nanoseconds> Histogram::quantile(double ratio) const {
    if (count_ == 0) return std::nullopt;
    const auto wanted = std::max(
        uint64_t{1}, static_cast<uint64_t>(std::ceil(ratio * static_cast<double>(count_))));
    uint64_t seen = 0;
    size_t bucket = 0;
    while ((seen += buckets_[bucket]) < wanted)
        ++bucket;
    return Nanoseconds(middle_of(bucket));
}

} // namespace loads
