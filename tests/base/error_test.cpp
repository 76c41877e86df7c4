#include "base/error.h"

#include <gmock/gmock.h>

namespace base {
namespace {

using testing::StartsWith;

TEST(ParseError, SaysWhere) {
    EXPECT_STREQ(ParseError("/proc/stat", 3, "no number").what(), "/proc/stat:3: no number");
    EXPECT_STREQ(ParseError("/proc/stat", 0, "empty").what(), "/proc/stat: empty");
}

TEST(SystemError, IsErrnoWithWhatWasTried) {
    errno = ENOENT;
    const auto error = system_error("open /proc/stat");
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
    EXPECT_THAT(error.what(), StartsWith("open /proc/stat: "));
    EXPECT_EQ(system_error("read", EIO).code(), std::errc::io_error);
}

} // namespace
} // namespace base
