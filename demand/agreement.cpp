#include "demand/agreement.h"

#include "demand/interval.h"

namespace demand {
namespace {

constexpr size_t fewest = 20, most = 100;
constexpr double tolerated = 0.1;
constexpr double least_expected = 10;

/// How many there would be inside if it were as outside.
double expected(const std::vector<Row>& rows) {
    double b = 0, c = 0, d = 0;
    for (const auto& row : rows)
        b += row.b, c += row.c, d += row.d;
    return d > 0 ? c / d * b : 0;
}

bool agrees(const std::vector<Row>& rows) {
    if (expected(rows) < least_expected) return true;
    const auto ratio = estimate_ratio(rows);
    if (!ratio || !ratio->estimate.low || !ratio->estimate.high) return true;
    return *ratio->estimate.low <= 1 + tolerated && *ratio->estimate.high >= 1 - tolerated;
}

double events(const Activity& activity) {
    return static_cast<double>(activity.packets + activity.reschedule + activity.function_call);
}

} // namespace

void Agreement::add(const Activity& inside, const Activity& outside) {
    pairs_.push_back({inside, outside});
    if (pairs_.size() > most) pairs_.pop_front();
}

std::optional<bool> Agreement::undisturbed() const {
    if (pairs_.size() < fewest) return std::nullopt;
    std::vector<Row> rates, events_per_packet;
    for (const auto& [inside, outside] : pairs_) {
        const auto packets_inside = static_cast<double>(inside.packets);
        const auto packets_outside = static_cast<double>(outside.packets);
        rates.push_back({.a = packets_inside,
                         .b = base::to_seconds(inside.time),
                         .c = packets_outside,
                         .d = base::to_seconds(outside.time)});
        events_per_packet.push_back(
            {.a = events(inside), .b = packets_inside, .c = events(outside), .d = packets_outside});
    }
    return agrees(rates) && agrees(events_per_packet);
}

} // namespace demand
