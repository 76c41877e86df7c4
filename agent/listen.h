#pragma once

#include "base/descriptor.h"

#include <string>
#include <vector>

namespace agent {

/// A TCP socket that listens, and where: "127.0.0.1:12001".
struct Listener {
    base::Descriptor socket;
    std::string address;
};

/// At every address that "host:port", "[::1]:port" or ":port" (all of this host) stands for; those
/// of a kind that this host has not are left out, unless there is no other. Throws
/// base::UsageError for what is no address, std::system_error with the address where one cannot
/// listen.
std::vector<Listener> listen_at(const std::string& endpoint);

} // namespace agent
