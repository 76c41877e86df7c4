#pragma once

#include "base/cpu_list.h"
#include "base/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loads {

using base::Nanoseconds;

enum class Kind { stream, rr, udp };

/// By which call a stream is sent.
enum class How { send, write, sendfile, splice, zerocopy };

std::string_view name_of(Kind kind);
std::string_view name_of(How how);
/// Throws UsageError with the names there are.
Kind parse_kind(std::string_view name);
How parse_how(std::string_view name);

/// A network load. Its unit is a byte (stream), a datagram (udp) or a transaction (rr).
struct Options {
    Kind kind = Kind::rr;
    Nanoseconds duration = std::chrono::seconds(10);
    std::optional<double>
        rate; ///< units per second, all streams together; absent: as fast as it goes
    std::optional<int> client_cpu; ///< the sender or client
    std::optional<int> server_cpu; ///< the receiver or server
    Nanoseconds
        extra{}; ///< CPU time spent on top, by the client, per buffer, datagram, transaction

    How how = How::send;              ///< stream
    std::optional<std::string> file;  ///< stream: what is sent; absent: memory
    int64_t buffer_bytes = 64 * 1024; ///< stream: sent or received by one call
    int64_t streams = 1;              ///< stream: connections, each with a thread at either end
    bool cork = false;                ///< stream: TCP_CORK

    bool over_udp = false; ///< rr
    int64_t request_bytes = 1;
    int64_t response_bytes = 1;
    bool busy_poll = false; ///< rr: wait for the other end without sleeping

    int64_t datagram_bytes = 1472; ///< udp
    int64_t batch = 1;             ///< udp: datagrams per system call
};

/// A known CPU load.
struct BurnOptions {
    Nanoseconds duration = std::chrono::seconds(10);
    std::optional<int> cpu;
    double busy_ratio = 0.25; ///< share of one CPU
    Nanoseconds period = std::chrono::milliseconds(10);
    std::optional<Nanoseconds> gap; ///< idle time in every period, instead of a share
    int64_t walk_bytes = 0;         ///< memory walked once a burst

    /// CPU time of one burst.
    Nanoseconds burst() const;
};

/// Throw UsageError naming the option and the range it accepts. `allowed`: CPUs that we may use.
void check(const Options& options, const base::CpuList& allowed);
void check(const BurnOptions& options, const base::CpuList& allowed);

/// "25%" or "0.25". Throws UsageError.
double parse_share(std::string_view text);

} // namespace loads
