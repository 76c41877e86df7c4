#pragma once

#include "base/time.h"
#include "loads/options.h"
#include "loads/team.h"

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>

namespace loads {

/// What a load got done: delivered, not merely sent. What a kind does not have is absent.
struct Result {
    struct Latency {
        Nanoseconds mean{}, p50{}, p99{};
    };

    std::string kind;                     ///< "stream", "rr", "udp", "burn"
    std::string how;                      ///< stream: the call; rr: "tcp" or "udp"; else empty
    Nanoseconds elapsed{};                ///< the time that the figures cover
    std::optional<uint64_t> bytes;        ///< payload delivered; rr: both ways
    std::optional<uint64_t> packets;      ///< udp: datagrams delivered
    std::optional<uint64_t> transactions; ///< rr: completed
    std::optional<uint64_t> sent;         ///< stream: bytes; udp: datagrams
    std::optional<uint64_t> lost;         ///< udp: sent, not delivered
    std::optional<uint64_t> resent;       ///< rr over UDP: a datagram was lost
    /// User and system time of the threads of "client" (the sender), "server" (the receiver), or
    /// of "burn".
    std::map<std::string, Nanoseconds> cpu;
    std::optional<double> zerocopy_ratio; ///< of the sends, those that the kernel did not copy
    std::optional<std::string> busy_poll; ///< who polled, of the client: "kernel" or "user"
    std::optional<Latency> latency;       ///< rr: of a transaction
    std::optional<double> busy_ratio;     ///< burn: CPU time / elapsed
    std::optional<uint64_t> bursts;       ///< burn
};

/// Of both ends; `client.ended` is when the load was over.
Result make_result(const Options& options, const Tally& client, const Tally& server,
                   Nanoseconds start);
/// Of a server that serves others.
Result make_server_result(const Options& options, const Tally& server, Nanoseconds elapsed);

/// One JSON object on one line.
void write_json(std::ostream& out, const Result& result);
/// A few lines for people. `micro`: what to write for 10^-6, "µ" or "u".
void write_table(std::ostream& out, const Result& result, std::string_view micro = "µ");

} // namespace loads
