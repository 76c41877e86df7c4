#include "agent/listen.h"

#include "base/address.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>

namespace agent {
namespace {

using base::Address;

std::vector<Address> addresses_of(const std::string& endpoint) {
    try {
        return base::read_addresses(base::parse_endpoint(endpoint));
    } catch (const std::runtime_error& error) {
        throw base::UsageError(error.what());
    }
}

void turn_on(int socket, int level, int option, const std::string& tried) {
    const int on = 1;
    if (setsockopt(socket, level, option, &on, sizeof on) < 0) throw base::system_error(tried);
}

Listener listen_at(const Address& address) {
    const auto tried = "listen on " + address.text();
    auto fd = base::make_descriptor(
        socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), tried);
    turn_on(fd.get(), SOL_SOCKET, SO_REUSEADDR, tried);
    // IPv4 has a socket of its own.
    if (address.family() == AF_INET6) turn_on(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, tried);
    if (bind(fd.get(), address.data(), address.size()) < 0 || listen(fd.get(), SOMAXCONN) < 0)
        throw base::system_error(tried);
    auto text = Address::of_socket(fd.get()).text();
    return {std::move(fd), std::move(text)};
}

bool is_absent_here(const std::error_code& error) {
    return error == std::errc::address_family_not_supported ||
           error == std::errc::address_not_available;
}

} // namespace

std::vector<Listener> listen_at(const std::string& endpoint) {
    std::vector<Listener> listeners;
    std::vector<std::string> tried;
    std::optional<std::system_error> absent;
    for (const auto& address : addresses_of(endpoint)) {
        // A file of hosts may name an address twice.
        if (std::find(tried.begin(), tried.end(), address.text()) != tried.end()) continue;
        tried.push_back(address.text());
        try {
            listeners.push_back(listen_at(address));
        } catch (const std::system_error& error) {
            if (!is_absent_here(error.code())) throw;
            absent = error;
        }
    }
    if (listeners.empty()) throw *absent;
    return listeners;
}

} // namespace agent
