#include "exporters/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace exporters {
namespace {

/// Power of ten of the first digit.
int magnitude(double value) {
    return value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value))));
}

} // namespace

std::string format_number(double value, int digits) {
    // Rounding first, because 9.996 has its first digit elsewhere than 10.0.
    const double step = std::pow(10, magnitude(value) - digits + 1);
    const double rounded = std::round(value / step) * step;
    return fmt::format("{:.{}f}", rounded, std::clamp(digits - 1 - magnitude(rounded), 0, 12));
}

std::string format_estimate(const demand::Estimate& estimate, double scale) {
    const double value = estimate.value * scale;
    if (!estimate.low) return format_number(value);
    const double half = (*estimate.high - *estimate.low) / 2 * scale;
    if (half >= std::abs(value))
        return fmt::format("{} ({}–{})", format_number(value, 2),
                           format_number(*estimate.low * scale, 2),
                           format_number(*estimate.high * scale, 2));
    const int digits = half > 0 ? std::clamp(magnitude(value) - magnitude(half) + 1, 2, 4) : 4;
    return fmt::format("{} ± {} %", format_number(value, digits),
                       format_number(half / std::abs(value) * 100, 2));
}

std::string format_ratio(const demand::Estimate& ratio) {
    if (!ratio.low) return fmt::format("×{:.2f}", ratio.value);
    const int digits = std::clamp(-magnitude((*ratio.high - *ratio.low) / 2), 0, 3);
    return fmt::format("×{:.{}f} ({:.{}f}–{:.{}f})", ratio.value, digits, *ratio.low, digits,
                       *ratio.high, digits);
}

std::string format_amount(double value) {
    const char* prefix = "";
    for (const char* next : {"k", "M", "G", "T"}) {
        if (std::abs(value) < 9999.5) break;
        value /= 1000;
        prefix = next;
    }
    const bool whole = *prefix == '\0' && value == std::round(value);
    const std::string number = whole ? fmt::format("{:.0f}", value) : format_number(value, 4);
    return *prefix == '\0' ? number : fmt::format("{} {}", number, prefix);
}

std::string format_percent(double ratio) {
    const std::string text = fmt::format("{:.1f}", ratio * 100);
    return text == "-0.0" ? "0.0" : text;
}

} // namespace exporters
