#pragma once

#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <vector>

namespace base {

/// As the user writes it: "host:port", "[::1]:port"; where we listen also ":port" or "port".
struct Endpoint {
    std::string host; ///< empty: any address of this host
    uint16_t port = 0;
    bool operator==(const Endpoint&) const = default;
};

/// Throws UsageError with the accepted forms.
Endpoint parse_endpoint(std::string_view text);

/// An IPv4 or IPv6 address with a port.
class Address {
  public:
    static Address of_socket(int fd);
    static Address of_peer(int fd);
    Address(const sockaddr* address, socklen_t size);

    Address with_port(uint16_t port) const;
    uint16_t port() const;
    int family() const { return storage_.ss_family; }
    /// "127.0.0.1:5201", "[::1]:5201".
    std::string text() const;

    const sockaddr* data() const;
    socklen_t size() const { return size_; }

  private:
    Address() = default;
    sockaddr* data();

    sockaddr_storage storage_{};
    socklen_t size_ = sizeof(sockaddr_storage);
};

/// What `act` makes of the first address for which it does not throw std::system_error; throws
/// what it threw for the last one.
auto with_first(const std::vector<Address>& addresses, auto&& act) {
    for (size_t i = 0; i + 1 < addresses.size(); ++i) {
        try {
            return act(addresses[i]);
        } catch (const std::system_error&) {
            // The next one may do.
        }
    }
    return act(addresses.back());
}

/// What a name stands for, best first; never empty. Without a host: all IPv6 and IPv4 addresses.
/// Throws std::runtime_error with the resolver's words.
std::vector<Address> read_addresses(const Endpoint& endpoint);

} // namespace base
