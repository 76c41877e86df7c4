#include "base/descriptor.h"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <system_error>

namespace base {
namespace {

using testing::StartsWith;

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(Descriptor, OwnsNothingAtFirst) {
    const Descriptor none;
    EXPECT_FALSE(none);
    EXPECT_TRUE(Descriptor(dup(STDERR_FILENO)));
}

TEST(Descriptor, IsClosedAtTheEndOfItsLife) {
    const int fd = dup(STDERR_FILENO);
    {
        const Descriptor owner(fd);
        EXPECT_EQ(owner.get(), fd);
        EXPECT_TRUE(is_open(fd));
    }
    EXPECT_FALSE(is_open(fd));
}

TEST(Descriptor, CanBeClosedBefore) {
    Descriptor owner(dup(STDERR_FILENO));
    const int fd = owner.get();
    owner.close();
    EXPECT_FALSE(is_open(fd));
    EXPECT_FALSE(owner);
    // Another one may have the number by now: it is not ours to close.
    const Descriptor next(dup(STDERR_FILENO));
    owner.close();
    EXPECT_TRUE(is_open(next.get()));
}

TEST(Descriptor, MovesAndLeavesNothingBehind) {
    Descriptor first(dup(STDERR_FILENO));
    const int fd = first.get();
    const Descriptor second(std::move(first));
    EXPECT_EQ(first.get(), -1);
    EXPECT_EQ(second.get(), fd);
    EXPECT_TRUE(is_open(fd));
}

TEST(Descriptor, ReplacedOneIsClosed) {
    Descriptor owner(dup(STDERR_FILENO));
    const int before = owner.get();
    Descriptor other(dup(STDERR_FILENO));
    const int fd = other.get();
    owner = std::move(other);
    EXPECT_EQ(owner.get(), fd);
    owner = Descriptor();
    EXPECT_FALSE(is_open(fd));
    other = Descriptor();
    EXPECT_FALSE(is_open(before));
}

TEST(MakeDescriptor, FailureSaysWhatWasTried) {
    const auto make = [] { return make_descriptor(open("/nowhere", O_RDONLY), "open /nowhere"); };
    try {
        make();
        FAIL() << "was made";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
        EXPECT_THAT(error.what(), StartsWith("open /nowhere"));
    }
}

TEST(MakePipe, CarriesBytesAndIsNotInherited) {
    const auto pipe = make_pipe();
    ASSERT_EQ(write(pipe.write.get(), "x", 1), 1);
    char got = 0;
    ASSERT_EQ(read(pipe.read.get(), &got, 1), 1);
    EXPECT_EQ(got, 'x');
    for (const int fd : {pipe.read.get(), pipe.write.get()})
        EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
}

} // namespace
} // namespace base
