#include "demand/interval.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace demand {
namespace {

Row operator+(const Row& x, const Row& y) {
    return {.a = x.a + y.a, .b = x.b + y.b, .c = x.c + y.c, .d = x.d + y.d};
}

Row operator-(const Row& x, const Row& y) {
    return {.a = x.a - y.a, .b = x.b - y.b, .c = x.c - y.c, .d = x.d - y.d};
}

Row sum(const std::vector<Row>& rows) {
    Row result{.c = 0, .d = 0};
    for (const Row& row : rows)
        result = result + row;
    return result;
}

double ratio(const Row& sums) { return sums.a / sums.b * (sums.d / sums.c); }

bool usable(const Row& sums) { return sums.b > 0 && sums.c > 0 && sums.d > 0; }

/// What is left over at the end joins the last block.
std::vector<Row> merge(const std::vector<Row>& rows, size_t size) {
    std::vector<Row> blocks(rows.size() / size, Row{.c = 0, .d = 0});
    for (size_t i = 0; i < rows.size(); ++i) {
        Row& block = blocks[std::min(i / size, blocks.size() - 1)];
        block = block + rows[i];
    }
    return blocks;
}

/// By how much each row moves the estimate, to first order.
std::vector<double> residuals(const std::vector<Row>& rows) {
    const Row sums = sum(rows);
    const double top = sums.a / sums.b, bottom = sums.c / sums.d;
    std::vector<double> result;
    result.reserve(rows.size());
    for (const Row& row : rows)
        result.push_back((row.a - top * row.b) / sums.b / bottom -
                         top / bottom * (row.c - bottom * row.d) / sums.c);
    return result;
}

bool neighbours_correlate(const std::vector<Row>& rows) {
    const std::vector<double> left = residuals(rows); // they sum to 0
    const double all = std::inner_product(left.begin(), left.end(), left.begin(), 0.0);
    const double lagged = std::inner_product(left.begin() + 1, left.end(), left.begin(), 0.0);
    return lagged > all * 2 / std::sqrt(static_cast<double>(left.size()));
}

/// Nothing if the estimate hangs on a single block.
std::optional<double> jackknife_variance(const std::vector<Row>& blocks) {
    const Row sums = sum(blocks);
    std::vector<double> without;
    without.reserve(blocks.size());
    for (const Row& block : blocks) {
        const Row rest = sums - block;
        if (!usable(rest)) return {};
        without.push_back(ratio(rest));
    }
    const auto count = static_cast<double>(blocks.size());
    const double mean = std::accumulate(without.begin(), without.end(), 0.0) / count;
    double squares = 0;
    for (const double value : without)
        squares += (value - mean) * (value - mean);
    return squares * (count - 1) / count;
}

} // namespace

double half_width(const std::vector<Variance>& variances) {
    double total = 0, denominator = 0;
    for (const Variance& variance : variances) {
        total += variance.value;
        denominator += variance.value * variance.value / variance.freedom;
    }
    if (denominator <= 0) return 0;
    const boost::math::students_t distribution(total * total / denominator);
    return boost::math::quantile(distribution, (1 + confidence) / 2) * std::sqrt(total);
}

std::optional<RatioEstimate> estimate_ratio(const std::vector<Row>& rows,
                                            const std::vector<Variance>& others) {
    const Row sums = sum(rows);
    if (!usable(sums)) return {};
    RatioEstimate result{.estimate = {.value = ratio(sums), .low = {}, .high = {}},
                         .rows = static_cast<int>(rows.size()),
                         .blocks = static_cast<int>(rows.size())};
    if (rows.size() < fewest_blocks) return result;

    std::vector<Row> blocks = rows;
    for (size_t size = 2; neighbours_correlate(blocks) && rows.size() / size >= fewest_blocks;
         ++size)
        blocks = merge(rows, size);
    result.blocks = static_cast<int>(blocks.size());
    result.correlated = neighbours_correlate(blocks);

    const auto scatter = jackknife_variance(blocks);
    if (!scatter) return result;
    std::vector<Variance> variances = others;
    variances.push_back({.value = *scatter, .freedom = static_cast<double>(blocks.size()) - 1});
    const double half = half_width(variances);
    result.estimate.low = result.estimate.value - half;
    result.estimate.high = result.estimate.value + half;
    return result;
}

} // namespace demand
