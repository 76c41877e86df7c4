#include "loads/options.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace loads {
namespace {

using std::chrono::seconds;

constexpr std::array kinds = {std::pair{Kind::stream, std::string_view("stream")},
                              std::pair{Kind::rr, std::string_view("rr")},
                              std::pair{Kind::udp, std::string_view("udp")}};
constexpr std::array hows = {std::pair{How::send, std::string_view("send")},
                             std::pair{How::write, std::string_view("write")},
                             std::pair{How::sendfile, std::string_view("sendfile")},
                             std::pair{How::splice, std::string_view("splice")},
                             std::pair{How::zerocopy, std::string_view("zerocopy")}};

std::string_view name_in(const auto& names, auto value) {
    return std::ranges::find(names, value, [](const auto& entry) { return entry.first; })->second;
}

auto find_in(const auto& names, std::string_view name) {
    std::string known;
    for (const auto& [value, text] : names) {
        if (text == name) return value;
        known += fmt::format("{}{}", known.empty() ? "" : ", ", text);
    }
    throw base::UsageError(fmt::format("'{}' is none of {}", name, known));
}

/// What UDP over IPv4 can carry in one datagram.
constexpr int64_t max_datagram_bytes = 65507;
constexpr Nanoseconds longest = std::chrono::hours(24 * 365);
constexpr int64_t max_buffer_bytes = 1 << 30;

void check_range(std::string_view option, int64_t value, int64_t low, int64_t high) {
    if (value < low || value > high)
        throw base::UsageError(fmt::format("{}: {} is not in {}..{}", option, value, low, high));
}

/// In the largest unit that needs no fraction, as parse_duration() takes it.
std::string duration_text(Nanoseconds time) {
    const auto count = time.count();
    if (count % 1'000'000'000 == 0) return fmt::format("{}s", count / 1'000'000'000);
    if (count % 1'000'000 == 0) return fmt::format("{}ms", count / 1'000'000);
    return count % 1000 == 0 ? fmt::format("{}us", count / 1000) : fmt::format("{}ns", count);
}

void check_range(std::string_view option, Nanoseconds value, Nanoseconds low, Nanoseconds high) {
    if (value < low || value > high)
        throw base::UsageError(fmt::format("{}: {} is not in {}..{}", option, duration_text(value),
                                           duration_text(low), duration_text(high)));
}

void check_cpu(std::optional<int> cpu, const base::CpuList& allowed) {
    if (cpu && !std::ranges::binary_search(allowed, *cpu))
        throw base::UsageError(
            fmt::format("--cpu: {} is not one of {}", *cpu, base::format_cpu_list(allowed)));
}

void check_stream(const Options& options) {
    check_range("--buffer", options.buffer_bytes, 1, max_buffer_bytes);
    check_range("--streams", options.streams, 1, 1000);
}

void check_rr(const Options& options) {
    const int64_t most = options.over_udp ? max_datagram_bytes : max_buffer_bytes;
    check_range("--request", options.request_bytes, 1, most);
    check_range("--response", options.response_bytes, 1, most);
}

void check_udp(const Options& options) {
    check_range("--size", options.datagram_bytes, 1, max_datagram_bytes);
    check_range("--batch", options.batch, 1, 1024);
}

} // namespace

std::string_view name_of(Kind kind) { return name_in(kinds, kind); }
std::string_view name_of(How how) { return name_in(hows, how); }
Kind parse_kind(std::string_view name) { return find_in(kinds, name); }
How parse_how(std::string_view name) { return find_in(hows, name); }

Nanoseconds BurnOptions::burst() const {
    if (gap) return period - *gap;
    return Nanoseconds(std::llround(static_cast<double>(period.count()) * busy_ratio));
}

void check(const Options& options, const base::CpuList& allowed) {
    check_range("--time", options.duration, std::chrono::milliseconds(1), longest);
    if (options.rate && !(*options.rate > 0 && *options.rate <= 1e12))
        throw base::UsageError(
            fmt::format("--rate: {} is not above 0 and at most 1e12 per second", *options.rate));
    check_range("--extra-ns", options.extra.count(), 0, 1'000'000'000);
    check_cpu(options.client_cpu, allowed);
    check_cpu(options.server_cpu, allowed);
    if (options.kind == Kind::stream) check_stream(options);
    if (options.kind == Kind::rr) check_rr(options);
    if (options.kind == Kind::udp) check_udp(options);
}

void check(const BurnOptions& options, const base::CpuList& allowed) {
    check_range("--time", options.duration, std::chrono::milliseconds(1), longest);
    check_cpu(options.cpu, allowed);
    check_range("--period", options.period, std::chrono::microseconds(10), seconds(10));
    if (!(options.busy_ratio > 0 && options.busy_ratio <= 1))
        throw base::UsageError(
            fmt::format("--share: {} is not above 0 and at most 1 (or 100%)", options.busy_ratio));
    if (options.gap)
        check_range("--gap", *options.gap, std::chrono::microseconds(1),
                    options.period - std::chrono::microseconds(1));
    check_range("--walk", options.walk_bytes, 0, max_buffer_bytes);
}

double parse_share(std::string_view text) {
    const bool percent = text.ends_with('%');
    const auto number = base::parse_number(percent ? text.substr(0, text.size() - 1) : text);
    if (!number) throw base::UsageError(fmt::format("'{}' is not a share like 25% or 0.25", text));
    return percent ? *number / 100 : *number;
}

} // namespace loads
