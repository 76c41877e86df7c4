#pragma once

#include "probes/benchmark_results.h"

#include <string_view>

namespace probes {

/// `cyclesoak load ... --format json`: one object with "schema": 1, "kind", "seconds" and, as far as
/// the kind has them, "bytes", "packets", "transactions" (all delivered) and "cpu_seconds" by end.
/// Throws base::ParseError.
BenchmarkResults parse_load_output(std::string_view text);

} // namespace probes
