#pragma once

#include "demand/report.h"

#include <optional>
#include <vector>

namespace demand {

inline constexpr double confidence = 0.95;
/// Fewer pairs, or blocks of pairs, than this give no interval.
inline constexpr int fewest_blocks = 6;

/// What one pair (or window) adds to the four sums of the estimate (a / b) / (c / d).
/// A plain ratio of sums leaves c and d alone.
struct Row {
    double a = 0, b = 0, c = 1, d = 1;
};

/// A source of uncertainty beside the scatter of the rows: variance of the estimate, and from how
/// many degrees of freedom that variance is known.
struct Variance {
    double value = 0;
    double freedom = 1;
};

struct RatioEstimate {
    Estimate estimate;
    int rows = 0;
    int blocks = 0;
    bool correlated = false; ///< neighbours still correlate; the interval may be too narrow
};

/// Half the width of the interval that sources of uncertainty which do not depend on each other give
/// together: Student's t, with degrees of freedom after Welch and Satterthwaite.
double half_width(const std::vector<Variance>& variances);

/// Ratio of sums with its interval by delete-one jackknife over the rows, which are in order of
/// time. Neighbours that correlate (lag-1 autocorrelation of the linearised residuals above
/// 2/sqrt(n), which independent rows pass in 98 of 100 cases) are merged into blocks of 2, 3, ...
/// while six blocks remain. Student's t; its degrees of freedom after Welch and Satterthwaite,
/// which are n-1 where there is no other variance. Nothing if b, c or d do not sum to more than 0.
std::optional<RatioEstimate> estimate_ratio(const std::vector<Row>& rows,
                                            const std::vector<Variance>& others = {});

} // namespace demand
