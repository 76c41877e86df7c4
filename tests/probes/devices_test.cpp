#include "probes/devices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

namespace probes {
namespace {

/// Sends one datagram of `size` bytes over loopback to a socket that waits for it.
void send_over_loopback(size_t size) {
    const int receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* name = reinterpret_cast<sockaddr*>(&address);
    socklen_t length = sizeof(address);
    ASSERT_EQ(bind(receiver, name, length), 0);
    ASSERT_EQ(getsockname(receiver, name, &length), 0);
    const std::vector<char> data(size);
    ASSERT_EQ(sendto(receiver, data.data(), size, 0, name, length), static_cast<ssize_t>(size));
    close(receiver);
}

DeviceCounters find_loopback(const std::vector<DeviceCounters>& devices) {
    const auto found = std::find_if(devices.begin(), devices.end(),
                                    [](const auto& device) { return device.loopback; });
    return found == devices.end() ? DeviceCounters{} : *found;
}

TEST(Devices, LoopbackCountsWhatIsSentOverIt) {
    const auto read = make_device_reader();
    const auto before = find_loopback(read());
    ASSERT_EQ(before.name, "lo");
    send_over_loopback(1000);
    const auto after = find_loopback(read());
    EXPECT_GE(after.packets(), before.packets() + 1);
    EXPECT_GE(after.bytes(), before.bytes() + 1000);
}

TEST(Devices, AreInOrderOfTheirIndex) {
    const auto devices = make_device_reader()();
    EXPECT_TRUE(std::is_sorted(devices.begin(), devices.end(),
                               [](const auto& a, const auto& b) { return a.index < b.index; }));
}

} // namespace
} // namespace probes
