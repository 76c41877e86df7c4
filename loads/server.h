#pragma once

#include "base/address.h"
#include "base/descriptor.h"
#include "loads/control.h"
#include "loads/result.h"

#include <functional>
#include <optional>
#include <string>

namespace loads {

using base::Address;

/// The other end of network loads: serves one client after the other. The port is that of the
/// control connection; for the data each client is told a further one.
class Server {
  public:
    /// Throws std::system_error with the address.
    explicit Server(const Address& address);

    /// Where it listens; the port, if it was left to the kernel, is known now.
    Address address() const { return Address::of_socket(listener_.get()); }

    struct Listeners {
        std::function<void(const Result&)> served;      ///< this end's figures of a client
        std::function<void(const std::string&)> failed; ///< a client that could not be served
    };

    /// Until `stop_fd` is readable or CLOCK_MONOTONIC reads `deadline`.
    void serve(int stop_fd, Nanoseconds deadline, const Listeners& listeners);

  private:
    void serve_client(int stop_fd, Nanoseconds deadline, const Listeners& listeners);

    base::Descriptor listener_;
};

} // namespace loads
