#pragma once

#include "demand/report.h"

#include <string>

namespace exporters {

/// Rounded to so many significant digits, without an exponent: 0.0123, 17.2, 30600.
std::string format_number(double value, int digits = 3);

/// "17.2 ± 3 %": value times `scale`, with as many digits (2 to 4) as the interval is worth. Three
/// digits where there is no interval; "0.3 (-0.5–1.1)" where it is wider than the value.
std::string format_estimate(const demand::Estimate& estimate, double scale = 1);

/// "×0.25 (0.23–0.27)", with the digits (up to 3 behind the point) that the interval is worth.
std::string format_ratio(const demand::Estimate& ratio);

/// "12.3 k", "1.50 G": powers of 1000.
std::string format_amount(double value);

/// "61.2": of 1, in percent, without the sign.
std::string format_percent(double ratio);

} // namespace exporters
