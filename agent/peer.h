#pragma once

#include "base/loop.h"
#include "base/time.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace agent {

/// How to reach another machine's agent.
struct PeerAccess {
    std::string address;                 ///< as the user wrote it
    std::string url;                     ///< "http://host:port" or "https://host:port"
    std::optional<std::string> ca;       ///< PEM file of who may vouch for it; else the system's
    std::optional<std::string> password; ///< "name:password"

    struct Limits {
        base::Nanoseconds connect = std::chrono::seconds(2);
        base::Nanoseconds whole = std::chrono::seconds(5); ///< of an answer, connecting included
        size_t bytes = 1'000'000;                          ///< of an answer
    };
    Limits limits;
};

/// `address`: "host:port", "[::1]:port", or one of these behind http:// or https://. The first line
/// of `password_file` is "name:password". Throws base::UsageError for an address that is none and
/// for files that cannot be read.
PeerAccess read_peer_access(const std::string& address, const std::optional<std::string>& ca,
                            const std::optional<std::string>& password_file);

/// There is no answer, and this is why.
class PeerError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Asks another machine's agent over HTTP. Goes to it directly, whatever proxy the environment
/// names, and to nobody else whom it names.
class Peer {
  public:
    explicit Peer(const PeerAccess& access);
    ~Peer();

    /// What stands at `path`. Serves `loop` while it waits; nullopt when that is stopped. Throws
    /// PeerError where there is no answer in time, one that is too long, or anything but a 200.
    std::optional<std::string> fetch(const std::string& path, base::Loop& loop);

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace agent
