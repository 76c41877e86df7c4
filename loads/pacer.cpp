#include "loads/pacer.h"

#include <algorithm>

namespace loads {

Nanoseconds Pacer::next(int64_t units, Nanoseconds now) {
    const auto due = start_ + base::from_seconds(static_cast<double>(taken_) / rate_);
    const auto given_up = std::max(now - due - patience, Nanoseconds::zero());
    start_ += given_up;
    taken_ += units;
    return due + given_up;
}

} // namespace loads
