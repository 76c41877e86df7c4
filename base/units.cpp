#include "base/units.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace base {
namespace {

struct Suffix {
    std::string_view name;
    double factor;
};

/// A non-negative number with one of `suffixes` or none (factor 1).
template <size_t n>
double parse_suffixed(std::string_view text, const Suffix (&suffixes)[n], std::string_view wanted) {
    const auto end = std::min(text.find_first_not_of("0123456789.eE+"), text.size());
    const auto number = parse_number(text.substr(0, end));
    const auto suffix = text.substr(end);
    if (number && *number >= 0) {
        if (suffix.empty()) return *number;
        for (const auto& known : suffixes)
            if (suffix == known.name) return *number * known.factor;
    }
    throw UsageError(fmt::format("'{}' is not {}", text, wanted));
}

} // namespace

Nanoseconds parse_duration(std::string_view text) {
    constexpr Suffix suffixes[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
    const double seconds =
        parse_suffixed(text, suffixes, "a time like 300ms, 10s or 2m (plain numbers are seconds)");
    if (seconds > 1e8) throw UsageError(fmt::format("'{}' is longer than three years", text));
    return from_seconds(seconds);
}

double parse_rate(std::string_view text) {
    constexpr Suffix suffixes[] = {{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}};
    const double rate =
        parse_suffixed(text, suffixes, "a rate like 2000, 400k, 50M or 1G per second");
    if (rate > 1e15) throw UsageError(fmt::format("'{}' is more than anything can do", text));
    return rate;
}

int64_t parse_size(std::string_view text) {
    constexpr Suffix suffixes[] = {
        {"k", 1024}, {"K", 1024}, {"M", 1024 * 1024}, {"G", 1024. * 1024 * 1024}};
    const double bytes = parse_suffixed(text, suffixes, "a size like 1472, 64K or 1M (bytes)");
    if (bytes > 1e15) throw UsageError(fmt::format("'{}' is more than 1000 TB", text));
    return static_cast<int64_t>(bytes);
}

} // namespace base
