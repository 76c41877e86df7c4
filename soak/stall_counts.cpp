#include "soak/stall_counts.h"

#include <algorithm>

namespace soak {

size_t stall_index(Nanoseconds length) {
    return static_cast<size_t>(std::lower_bound(stall_bounds.begin(), stall_bounds.end(), length) -
                               stall_bounds.begin());
}

StallCounts operator-(const StallCounts& later, const StallCounts& earlier) {
    StallCounts change{.sum = later.sum - earlier.sum};
    std::transform(later.count.begin(), later.count.end(), earlier.count.begin(),
                   change.count.begin(), std::minus());
    return change;
}

StallCounts operator+(const StallCounts& a, const StallCounts& b) {
    StallCounts both{.sum = a.sum + b.sum};
    std::transform(a.count.begin(), a.count.end(), b.count.begin(), both.count.begin(),
                   std::plus());
    return both;
}

} // namespace soak
