#include "base/error.h"
#include "probes/own_usage.h"

#include <gmock/gmock.h>

#include <ctime>

namespace probes {
namespace {

using namespace std::chrono_literals;

constexpr auto stat =
    "4242 (cyclesoak (a) b) S 1 4242 4242 0 -1 4194560 1187 0 0 0 12 7 0 0 20 0 3 0 "
    "123456 9437184 2100 18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0\n";

TEST(OwnUsage, is_found_behind_any_name) {
    const auto usage = parse_own_usage(stat, 100, 4096);
    EXPECT_EQ(usage.threads, 3u);
    EXPECT_EQ(usage.virtual_bytes, 9437184u);
    EXPECT_EQ(usage.resident_bytes, 2100u * 4096);
    EXPECT_EQ(usage.started, 1234560ms);
}

TEST(OwnUsage, does_not_overflow_after_a_century) {
    const auto usage = parse_own_usage("1 (a) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 315360000000 "
                                       "1 1 0",
                                       100, 4096);
    EXPECT_EQ(usage.started, 3153600000s);
}

TEST(OwnUsage, is_not_guessed) {
    for (const char* text :
         {"", "1 (a) S 1", "1 (a) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 x 0 1 1 1"})
        EXPECT_THROW(parse_own_usage(text, 100, 4096), base::ParseError) << text;
}

TEST(OwnUsage, of_this_process) {
    const auto usage = read_own_usage(base::Root());
    EXPECT_GT(usage.cpu, 0ns);
    EXPECT_GT(usage.resident_bytes, 0u);
    EXPECT_GE(usage.virtual_bytes, usage.resident_bytes);
    EXPECT_GE(usage.open_descriptors, 3u);
    EXPECT_GE(usage.most_descriptors, usage.open_descriptors);
    EXPECT_EQ(usage.threads, 1u);
    // Begun before now and after this program was written.
    EXPECT_LE(usage.started_unix_seconds, static_cast<double>(std::time(nullptr)) + 1);
    EXPECT_GT(usage.started_unix_seconds, 1.7e9);
    EXPECT_EQ(read_own_usage(base::Root()).started_unix_seconds, usage.started_unix_seconds);
}

} // namespace
} // namespace probes
