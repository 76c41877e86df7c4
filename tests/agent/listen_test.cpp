#include "agent/listen.h"
#include "base/address.h"
#include "base/error.h"
#include "tests/agent/http_client.h"

#include <gmock/gmock.h>

#include <set>

namespace agent {
namespace {

using testing::AnyOf;
using testing::Each;
using testing::StartsWith;

std::vector<std::string> addresses_at(const std::string& endpoint) {
    std::vector<std::string> addresses;
    for (const auto& listener : listen_at(endpoint))
        addresses.push_back(listener.address);
    return addresses;
}

bool has_ipv6() {
    try {
        return !listen_at("[::1]:0").empty();
    } catch (const std::system_error&) {
        return false;
    }
}

TEST(Listening, tells_the_port_it_got) {
    const auto listeners = listen_at("127.0.0.1:0");
    ASSERT_EQ(listeners.size(), 1u);
    EXPECT_THAT(listeners[0].address, StartsWith("127.0.0.1:"));
    EXPECT_NE(base::parse_endpoint(listeners[0].address).port, 0);
    EXPECT_NO_THROW(Client{listeners[0].address});
}

TEST(Listening, is_at_every_address_of_a_name_once) {
    const auto addresses = addresses_at("localhost:0");
    EXPECT_THAT(addresses, Each(AnyOf(StartsWith("127."), StartsWith("[::1]:"))));
    EXPECT_THAT(addresses, testing::Not(testing::IsEmpty()));
}

TEST(Listening, is_at_all_addresses_without_a_name) {
    auto addresses = addresses_at(":0");
    EXPECT_EQ(addresses.size(), has_ipv6() ? 2u : 1u);
    EXPECT_THAT(addresses, testing::Contains(StartsWith("0.0.0.0:")));
}

TEST(Listening, has_both_families_at_one_port) {
    const auto four = listen_at("0.0.0.0:0");
    const auto port = std::to_string(base::parse_endpoint(four.at(0).address).port);
    if (has_ipv6()) {
        EXPECT_THAT(addresses_at("[::]:" + port), testing::ElementsAre("[::]:" + port));
    }
    EXPECT_THROW(addresses_at("0.0.0.0:" + port), std::system_error);
}

} // namespace
} // namespace agent
