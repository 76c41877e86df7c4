#include "base/address.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <netdb.h>
#include <stdexcept>

namespace base {

Endpoint parse_endpoint(std::string_view text) {
    const auto colon = text.rfind(':');
    std::string_view host = colon == text.npos ? "" : text.substr(0, colon);
    const auto port = parse_integer(colon == text.npos ? text : text.substr(colon + 1));
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    if (bracketed) host = host.substr(1, host.size() - 2);
    const bool ambiguous = !bracketed && host.find(':') != host.npos;
    if (!port || *port < 0 || *port > 65535 || ambiguous || (bracketed && host.empty()))
        throw UsageError(
            fmt::format("'{}' is not HOST:PORT (PORT 0..65535, IPv6 as [::1]:5201)", text));
    return {std::string(host), static_cast<uint16_t>(*port)};
}

Address::Address(const sockaddr* address, socklen_t size) : size_(size) {
    std::memcpy(&storage_, address, size);
}

const sockaddr* Address::data() const { return reinterpret_cast<const sockaddr*>(&storage_); }
sockaddr* Address::data() { return reinterpret_cast<sockaddr*>(&storage_); }

Address Address::of_socket(int fd) {
    Address address;
    if (getsockname(fd, address.data(), &address.size_) < 0) throw system_error("getsockname");
    return address;
}

Address Address::of_peer(int fd) {
    Address address;
    if (getpeername(fd, address.data(), &address.size_) < 0) throw system_error("getpeername");
    return address;
}

// The port stands at the same place in sockaddr_in and sockaddr_in6.
static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));

Address Address::with_port(uint16_t port) const {
    Address other = *this;
    reinterpret_cast<sockaddr_in*>(&other.storage_)->sin_port = htons(port);
    return other;
}

uint16_t Address::port() const {
    return ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port);
}

std::string Address::text() const {
    char host[NI_MAXHOST];
    if (getnameinfo(data(), size_, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0)
        return "unknown address";
    return family() == AF_INET6 ? fmt::format("[{}]:{}", host, port())
                                : fmt::format("{}:{}", host, port());
}

std::vector<Address> read_addresses(const Endpoint& endpoint) {
    // All IPv6 addresses include the IPv4 ones; they come second for a kernel without IPv6.
    if (endpoint.host.empty()) {
        auto addresses = read_addresses({"::", endpoint.port});
        addresses.push_back(read_addresses({"0.0.0.0", endpoint.port}).front());
        return addresses;
    }
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int error =
        getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
    if (error != 0)
        throw std::runtime_error(fmt::format("{}: {}", endpoint.host, gai_strerror(error)));
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(found, freeaddrinfo);
    std::vector<Address> addresses;
    for (const auto* entry = found; entry != nullptr; entry = entry->ai_next)
        addresses.emplace_back(entry->ai_addr, entry->ai_addrlen);
    return addresses;
}

} // namespace base
