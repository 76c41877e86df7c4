#pragma once

#include "base/files.h"
#include "base/time.h"

#include <cstdint>
#include <string_view>

namespace probes {

/// What this process uses.
struct OwnUsage {
    base::Nanoseconds cpu{}; ///< of all its threads; not of its children
    uint64_t resident_bytes = 0, virtual_bytes = 0;
    uint64_t threads = 0;
    uint64_t open_descriptors = 0, most_descriptors = 0;
    base::Nanoseconds started{};     ///< since the system's boot
    double started_unix_seconds = 0; ///< by the wall clock at the first reading; then it stays
};

/// Memory, threads and start from /proc/PID/stat (fields 20 and 22 to 24, proc(5)). Throws
/// ParseError.
OwnUsage parse_own_usage(std::string_view stat, int64_t ticks_per_second, uint64_t page_bytes);

/// Throws std::system_error, ParseError.
OwnUsage read_own_usage(const base::Root& root);

} // namespace probes
