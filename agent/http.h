#pragma once

#include "agent/certificate.h"
#include "agent/listen.h"
#include "agent/reply.h"
#include "base/time.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agent {

using base::Nanoseconds;

struct Request {
    std::string method;
    std::string path; ///< decoded, without what follows a question mark
    std::optional<std::string> authorization;
};

/// HTTP/1.1, plain or TLS, at sockets that are the caller's, by one thread. What a request brings
/// beside its headers is thrown away.
class Http {
  public:
    using Later = std::function<void(Reply)>;
    /// Called in the thread for each request. nullopt: Later will be called once, in any thread,
    /// before this object's life ends. An exception is answered with 500.
    using Answer = std::function<std::optional<Reply>(const Request&, Later)>;

    struct Options {
        size_t most_connections = 1100; ///< at all sockets together; more are closed at once
        /// For the first line of a request, and as much again for the rest of it and its answer.
        Nanoseconds patience = std::chrono::seconds(5);
        std::optional<Certificate> certificate; ///< TLS
    };

    /// Throws std::system_error.
    Http(const std::vector<Listener>& listeners, const Options& options, Answer answer);
    /// Ends the thread and all connections; the sockets keep listening.
    ~Http();

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace agent
