#pragma once

#include "base/address.h"
#include "loads/options.h"
#include "loads/result.h"

namespace loads {

using base::Address;

/// The client's end against a server elsewhere, at the first of `addresses` that answers. Ends early, and still reports, once `stop_fd`
/// (-1: none) is readable. Throws std::system_error or std::runtime_error if the server cannot be
/// reached, refuses, is of another version or goes away.
Result run_client(const Options& options, const std::vector<Address>& addresses, int stop_fd);

/// Both ends in this process, over loopback.
Result run_loopback(const Options& options, int stop_fd);

/// A CPU load.
Result run_burn(const BurnOptions& options, int stop_fd);

} // namespace loads
