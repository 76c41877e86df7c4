#include "probes/own_usage.h"

#include "base/error.h"
#include "base/text.h"

#include <ctime>
#include <sys/resource.h>
#include <unistd.h>

namespace probes {
namespace {

using base::Nanoseconds;

/// proc(5) numbers the fields from 1; the name, field 2, may contain blanks and parentheses.
constexpr size_t first_behind_name = 3;
constexpr size_t threads_field = 20, start_field = 22, virtual_field = 23, resident_field = 24;

Nanoseconds read_clock(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
}

/// Read once: whoever watches takes a start that moves, were it by a microsecond, for another
/// process.
double boot_unix_seconds() {
    static const double seconds =
        base::to_seconds(read_clock(CLOCK_REALTIME) - read_clock(CLOCK_BOOTTIME));
    return seconds;
}

/// Whole seconds apart, since nanoseconds times ticks would overflow.
Nanoseconds in_ticks(int64_t ticks, int64_t per_second) {
    return std::chrono::seconds(ticks / per_second) +
           Nanoseconds(std::chrono::seconds(ticks % per_second)) / per_second;
}

} // namespace

OwnUsage parse_own_usage(std::string_view stat, int64_t ticks_per_second, uint64_t page_bytes) {
    const auto name_end = stat.rfind(')');
    const auto fields = base::split(stat.substr(name_end == stat.npos ? 0 : name_end + 1), " \t\n");
    const auto field = [&](size_t number) {
        const size_t at = number - first_behind_name;
        const auto value = at < fields.size() ? base::parse_integer(fields[at]) : std::nullopt;
        if (!value || *value < 0) throw base::ParseError("/proc/PID/stat", 1, "lacks a field");
        return static_cast<uint64_t>(*value);
    };
    const auto ticks = static_cast<int64_t>(field(start_field));
    return {.resident_bytes = field(resident_field) * page_bytes,
            .virtual_bytes = field(virtual_field),
            .threads = field(threads_field),
            .started = in_ticks(ticks, ticks_per_second)};
}

OwnUsage read_own_usage(const base::Root& root) {
    auto usage = parse_own_usage(root.read("proc/self/stat").value_or(""), sysconf(_SC_CLK_TCK),
                                 static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
    usage.started_unix_seconds = boot_unix_seconds() + base::to_seconds(usage.started);
    usage.cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    usage.open_descriptors = root.list("proc/self/fd").size();
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) usage.most_descriptors = limit.rlim_cur;
    return usage;
}

} // namespace probes
