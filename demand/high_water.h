#pragma once

#include "demand/totals.h"

#include <map>

namespace demand {

/// What makes counters of signed sums: each is the highest value that its sum had so far, so that
/// none ever falls. To be asked once for each Totals, in order of time, before it is published.
class HighWater {
  public:
    /// Raises `windows` and `cache` of every CPU. A CPU that is gone, or begins anew, is added to
    /// `departed`, which this fills in.
    void raise(Totals& totals);

  private:
    std::map<int, CpuTotals> latest_;
    CpuTotals departed_ = Totals().departed;
};

} // namespace demand
