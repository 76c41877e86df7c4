#include "probes/devices.h"

#include "base/error.h"

#include <netlink/netlink.h>
#include <netlink/route/link.h>

#include <algorithm>
#include <linux/if.h>
#include <memory>

namespace probes {
namespace {

void require(int result, const char* tried) {
    if (result < 0) throw std::runtime_error(std::string(tried) + ": " + nl_geterror(result));
}

using Socket = std::unique_ptr<nl_sock, decltype(&nl_socket_free)>;
using Cache = std::unique_ptr<nl_cache, decltype(&nl_cache_free)>;

Socket make_socket() {
    Socket socket(nl_socket_alloc(), nl_socket_free);
    if (!socket) throw base::system_error("nl_socket_alloc", ENOMEM);
    require(nl_connect(socket.get(), NETLINK_ROUTE), "connect to rtnetlink");
    return socket;
}

DeviceCounters make_counters(rtnl_link* link) {
    return {.index = rtnl_link_get_ifindex(link),
            .name = rtnl_link_get_name(link),
            .loopback = (rtnl_link_get_flags(link) & IFF_LOOPBACK) != 0,
            .rx_packets = rtnl_link_get_stat(link, RTNL_LINK_RX_PACKETS),
            .tx_packets = rtnl_link_get_stat(link, RTNL_LINK_TX_PACKETS),
            .rx_bytes = rtnl_link_get_stat(link, RTNL_LINK_RX_BYTES),
            .tx_bytes = rtnl_link_get_stat(link, RTNL_LINK_TX_BYTES)};
}

std::vector<DeviceCounters> read_devices(nl_sock* socket) {
    nl_cache* links = nullptr;
    require(rtnl_link_alloc_cache(socket, AF_UNSPEC, &links), "list devices");
    const Cache cache(links, nl_cache_free);
    std::vector<DeviceCounters> devices;
    const auto take = [](nl_object* object, void* list) {
        static_cast<std::vector<DeviceCounters>*>(list)->push_back(
            make_counters(reinterpret_cast<rtnl_link*>(object)));
    };
    nl_cache_foreach(links, take, &devices);
    std::sort(devices.begin(), devices.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
    return devices;
}

} // namespace

ReadDevices make_device_reader() {
    // Shared because std::function copies; opened late so that a failure is that of a reading.
    return [socket = std::shared_ptr<Socket>()]() mutable {
        if (!socket) socket = std::make_shared<Socket>(make_socket());
        return read_devices(socket->get());
    };
}

} // namespace probes
