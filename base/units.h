#pragma once

#include "base/time.h"

#include <cstdint>
#include <string_view>

namespace base {

/// "300ms", "10s", "2m"; a plain number is seconds. Throws UsageError with the accepted forms.
Nanoseconds parse_duration(std::string_view text);

/// "400k", "50M", "1.5G" (powers of 1000), as `--rate` takes it. Throws UsageError.
double parse_rate(std::string_view text);

/// "512k", "64K", "1M" (powers of 1024), as sizes in bytes. Throws UsageError.
int64_t parse_size(std::string_view text);

} // namespace base
