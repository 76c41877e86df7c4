#pragma once

#include "base/descriptor.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agent {

/// What a path answers. The body is shared by all who ask for it.
struct Reply {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::shared_ptr<const std::string> body;
};

/// Called in the server's threads; must not wait.
using Handler = std::function<Reply()>;

/// Serves GET and HEAD of fixed paths over HTTP/1.1, plain or TLS: nothing of the file system, and
/// nothing can be changed through it. Its memory, threads and connections are bounded; a client
/// has 5 s for each request, however slowly it sends or reads.
class Server {
  public:
    struct Options {
        std::vector<std::string> listen; ///< "127.0.0.1:12001", "[::1]:12001", "host:port", ":port"
        std::optional<std::string> tls_certificate, tls_key; ///< PEM files
        std::optional<std::string> users;                    ///< file of "name:bcrypt hash" lines
        size_t most_connections = 1100;
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

    /// To be called about once a second: takes up certificate and users' files that have changed
    /// (what cannot be used is told once by `complain`, and the old stays in force) and ends
    /// connections whose time is over.
    void tend(const std::function<void(const std::string&)>& complain);

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace agent
