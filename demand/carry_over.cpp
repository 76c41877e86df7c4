#include "demand/carry_over.h"

#include <algorithm>

namespace demand {

void CarryOver::add(double seconds, double window_seconds) {
    ++count_;
    c_ += seconds;
    w_ += window_seconds;
    cc_ += seconds * seconds;
    cw_ += seconds * window_seconds;
    ww_ += window_seconds * window_seconds;
}

SampledSum CarryOver::close(double time_seconds) {
    const double n = count_, ratio = c_ / w_, mean = w_ / n;
    const double squares = cc_ - 2 * ratio * cw_ + ratio * ratio * ww_;
    const SampledSum sum{.seconds = time_seconds * ratio,
                         .variance = time_seconds * time_seconds * std::max(squares, 0.0) /
                                     (n * (n - 1) * mean * mean)};
    *this = {};
    return sum;
}

} // namespace demand
