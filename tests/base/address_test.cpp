#include "base/address.h"
#include "base/error.h"

#include <gmock/gmock.h>

namespace base {
namespace {

TEST(Endpoint, takes_names_and_both_address_families) {
    EXPECT_EQ(parse_endpoint("host:5201"), (Endpoint{"host", 5201}));
    EXPECT_EQ(parse_endpoint("127.0.0.1:0"), (Endpoint{"127.0.0.1", 0}));
    EXPECT_EQ(parse_endpoint("[::1]:5201"), (Endpoint{"::1", 5201}));
    EXPECT_EQ(parse_endpoint(":5201"), (Endpoint{"", 5201}));
    EXPECT_EQ(parse_endpoint("5201"), (Endpoint{"", 5201}));
    for (const char* wrong : {"", "host", "host:", "host:65536", "host:-1", "::1:5201", "[]:5201"})
        EXPECT_THROW(parse_endpoint(wrong), UsageError) << wrong;
}

TEST(Address, is_told_as_it_is_written) {
    const auto four = read_addresses({"127.0.0.1", 5201}).front();
    EXPECT_EQ(four.text(), "127.0.0.1:5201");
    EXPECT_EQ(four.with_port(7).text(), "127.0.0.1:7");
    EXPECT_EQ(read_addresses({"::1", 5201}).front().with_port(8).text(), "[::1]:8");
}

} // namespace
} // namespace base
