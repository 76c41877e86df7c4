#include "demand/totals.h"

#include <numeric>

namespace demand {

CpuTotals operator+(const CpuTotals& a, const CpuTotals& b) {
    return {.cpu = a.cpu,
            .accounted = a.accounted + b.accounted,
            .busy = a.busy && b.busy ? std::optional(*a.busy + *b.busy) : std::nullopt,
            .steal = a.steal + b.steal,
            .tick_busy = a.tick_busy + b.tick_busy,
            .windows = a.windows + b.windows,
            .cache = {.seconds = a.cache.seconds + b.cache.seconds,
                      .variance = a.cache.variance + b.cache.variance},
            .carried_over = a.carried_over + b.carried_over};
}

CpuTotals sum_of_cpus(const Totals& totals) {
    return std::accumulate(totals.cpus.begin(), totals.cpus.end(), totals.departed);
}

} // namespace demand
