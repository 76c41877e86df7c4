#pragma once

#include "agent/reply.h"
#include "base/time.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agent {

/// Called in the server's threads, maybe in two at once; must not wait. An exception: 500.
using Handler = std::function<Reply()>;

/// Serves GET and HEAD of fixed paths over HTTP/1.1, plain or TLS: nothing of the file system, and
/// nothing can be changed through it. Its memory, threads and connections are bounded; a client
/// has 5 s for the first line of a request and 5 s for the rest, however slowly it sends or reads.
/// Where there is a users' file, nobody else learns anything, not even which paths there are.
class Server {
  public:
    struct Options {
        std::vector<std::string> listen; ///< "127.0.0.1:12001", "[::1]:12001", "host:port", ":port"
        std::optional<std::string> tls_certificate, tls_key; ///< PEM files
        std::optional<std::string> users;                    ///< file of "name:bcrypt hash" lines
        /// Fewer if the limit of descriptors cannot be raised as far as it takes.
        size_t most_connections = 1100;
        base::Nanoseconds patience = std::chrono::seconds(5);
    };

    /// Binds and starts. Throws base::UsageError for an address, certificate, key or users' file
    /// that cannot be, std::system_error with address and reason for a port in use.
    Server(const Options& options, std::map<std::string, Handler> paths);
    ~Server();

    /// The addresses that it listens on, with the ports it got where 0 was asked for.
    std::vector<std::string> addresses() const;

    /// No threads between the two: a process may be forked. The sockets keep listening.
    void stop_threads();
    void start_threads();

    /// To be called about once a second: takes up certificate and users' files that have changed.
    /// What cannot be used is told once by `complain`, and the old stays in force. A new
    /// certificate ends the connections of the old.
    void tend(const std::function<void(const std::string&)>& complain);

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace agent
