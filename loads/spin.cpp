#include "loads/spin.h"

#include <algorithm>

namespace loads {
namespace {

// A clock reading takes 20 to 60 ns; where it is a system call, some hundred. A longer step was
// interrupted; it counts as this much, so that the loop ends even where every step is longer.
constexpr Nanoseconds longest_step = std::chrono::microseconds(1);

/// The least of a few measurements: interrupts only ever add.
Nanoseconds measure_call_cost() {
    constexpr int calls = 200;
    constexpr Nanoseconds wanted(500);
    auto least = Nanoseconds::max();
    for (int round = 0; round < 5; ++round) {
        const auto start = base::monotonic_now();
        Nanoseconds spent{};
        for (int i = 0; i < calls; ++i)
            spent += wanted - spin(wanted);
        least = std::min(least, (base::monotonic_now() - start - spent) / calls);
    }
    return least;
}

} // namespace

Nanoseconds spin(Nanoseconds time) {
    auto last = base::monotonic_now();
    while (time > Nanoseconds::zero()) {
        const auto now = base::monotonic_now();
        time -= std::min(now - last, longest_step);
        last = now;
    }
    return time;
}

Extra::Extra(Nanoseconds per_unit) : per_unit_(per_unit) {
    if (per_unit > Nanoseconds::zero()) call_cost_ = measure_call_cost();
}

void Extra::spend(int64_t units) {
    owed_ += units * per_unit_;
    if (owed_ > call_cost_) owed_ = spin(owed_ - call_cost_);
}

} // namespace loads
