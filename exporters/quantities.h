#pragma once

#include <span>
#include <string_view>

namespace exporters {

/// Something measured, as every exporter names it.
struct Quantity {
    std::string_view name; ///< its key in a report
    std::string_view unit; ///< "seconds", "ratio", "count"
    std::string_view help; ///< in a few words, for people
};

/// All quantities of a CPU, in the order in which they are told.
std::span<const Quantity> quantities();

/// Throws std::out_of_range for a name that is not in the list.
const Quantity& quantity(std::string_view name);

} // namespace exporters
