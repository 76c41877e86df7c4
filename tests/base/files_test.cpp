#include "base/descriptor.h"
#include "base/files.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>

namespace base {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

/// The error that `act` fails with, which must begin with `tried`.
template <typename Act>
std::error_code failure(Act act, const std::string& tried) {
    try {
        act();
    } catch (const std::system_error& error) {
        EXPECT_THAT(error.what(), StartsWith(tried));
        return error.code();
    }
    return {};
}

TEST(Root, NamesAreBelowIt) {
    EXPECT_EQ(Root().at("proc/stat"), "/proc/stat");
    EXPECT_EQ(Root().at("/proc/stat"), "/proc/stat");
    EXPECT_EQ(Root("/recorded").at("proc/stat"), "/recorded/proc/stat");
    EXPECT_EQ(Root("/recorded").at("/proc/stat"), "/recorded/proc/stat");
}

TEST(Root, ReadsWholeFilesOrFirstLines) {
    const RecordedRoot machine;
    machine.write("proc/two", "one\ntwo\n");
    machine.write("proc/unended", "one");
    machine.write("proc/nothing", "");
    const auto root = machine.root();
    EXPECT_EQ(root.read("/proc/two"), "one\ntwo\n");
    EXPECT_EQ(root.read_line("/proc/two"), "one");
    EXPECT_EQ(root.read_line("proc/unended"), "one");
    EXPECT_EQ(root.read("proc/nothing"), "");
    EXPECT_EQ(root.read_line("proc/nothing"), "");
    EXPECT_EQ(root.read("proc/absent"), std::nullopt);
    EXPECT_EQ(root.read_line("proc/absent"), std::nullopt);
}

TEST(Root, ListsSortedNames) {
    const RecordedRoot machine;
    for (const char* name : {"sys/b", "sys/c/inner", "sys/a"})
        machine.write(name, "");
    EXPECT_THAT(machine.root().list("/sys"), ElementsAre("a", "b", "c"));
    EXPECT_THAT(machine.root().list("absent"), IsEmpty());
    EXPECT_THAT(machine.root().list("sys/a"), IsEmpty());
}

TEST(ReadFile, OfAnyLength) {
    const RecordedRoot folder;
    const std::string text(100'000, 'x');
    folder.write("long", text);
    EXPECT_EQ(read_file(folder.root().at("long")), text);
}

TEST(ReadFile, AbsentIsNoError) {
    const RecordedRoot folder;
    folder.write("file", "");
    EXPECT_EQ(read_file(folder.root().at("absent")), std::nullopt);
    EXPECT_EQ(read_file(folder.root().at("file/below")), std::nullopt);
}

TEST(ReadFile, WhatIsThereAndCannotBeReadIsOne) {
    const RecordedRoot folder;
    const auto path = folder.root().at("");
    EXPECT_EQ(failure([&] { read_file(path); }, "read " + path.string()),
              std::errc::is_a_directory);
}

TEST(WriteFile, MakesNoFile) {
    const RecordedRoot folder;
    folder.write("control", "");
    const auto path = folder.root().at("control"), absent = folder.root().at("absent");
    write_file(path, "19");
    EXPECT_EQ(read_file(path), "19");
    EXPECT_EQ(failure([&] { write_file(absent, "19"); }, "write " + absent.string()),
              std::errc::no_such_file_or_directory);
    EXPECT_THAT(folder.root().list(""), ElementsAre("control"));
}

TEST(ReplaceFile, LeavesTheNewTextAlone) {
    const RecordedRoot folder;
    folder.write("file", "the old text, longer");
    replace_file(folder.root().at("file"), "new\n");
    replace_file(folder.root().at("another"), "");
    EXPECT_EQ(folder.root().read("file"), "new\n");
    EXPECT_EQ(folder.root().read("another"), "");
    EXPECT_THAT(folder.root().list(""), ElementsAre("another", "file"));
}

TEST(ReplaceFile, WhoReadsTheOldOneReadsItToTheEnd) {
    const RecordedRoot folder;
    folder.write("file", "old");
    const auto path = folder.root().at("file");
    const Descriptor reader(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    replace_file(path, "new");
    std::string text(8, '\0');
    const auto got = read(reader.get(), text.data(), text.size());
    ASSERT_EQ(got, 3);
    EXPECT_EQ(text.substr(0, 3), "old");
}

TEST(ReplaceFile, MakesTheFolder) {
    const RecordedRoot folder;
    replace_file(folder.root().at("state/cyclesoak/file"), "text");
    EXPECT_EQ(folder.root().read("state/cyclesoak/file"), "text");
}

TEST(ReplaceFile, FolderThatCannotBeIsAnError) {
    const RecordedRoot folder;
    folder.write("file", "text");
    EXPECT_THROW(replace_file(folder.root().at("file/below"), ""), std::system_error);
    EXPECT_EQ(folder.root().read("file"), "text");
}

// By links: were they replaced, the machine would keep its devices.
TEST(ReplaceFile, DeviceIsWrittenTo) {
    const RecordedRoot folder;
    const auto full = folder.root().at("full"), null = folder.root().at("null");
    std::filesystem::create_symlink("/dev/full", full);
    std::filesystem::create_symlink("/dev/null", null);
    EXPECT_EQ(failure([&] { replace_file(full, "text"); }, "write " + full.string()),
              std::errc::no_space_on_device);
    replace_file(null, "text");
    EXPECT_TRUE(std::filesystem::is_character_file(full));
    EXPECT_TRUE(std::filesystem::is_character_file(null));
    EXPECT_THAT(folder.root().list(""), ElementsAre("full", "null"));
}

TEST(ReplaceFile, PipeIsWrittenTo) {
    const RecordedRoot folder;
    const auto path = folder.root().at("pipe");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const Descriptor reader(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    replace_file(path, "text");
    std::string text(8, '\0');
    ASSERT_EQ(read(reader.get(), text.data(), text.size()), 4);
    EXPECT_EQ(text.substr(0, 4), "text");
    EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST(ReplaceFile, FolderIsNotReplaced) {
    const RecordedRoot folder;
    folder.write("inner/file", "");
    const auto path = folder.root().at("inner");
    EXPECT_EQ(failure([&] { replace_file(path, "text"); }, "write " + path.string()),
              std::errc::is_a_directory);
    EXPECT_THAT(folder.root().list("inner"), ElementsAre("file"));
}

/// No file of this process grows past `bytes`, for its life: a disk that gets full.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit now{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &now);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        signal(SIGXFSZ, handler_);
    }

  private:
    rlimit before_{};
    void (*handler_)(int);
};

TEST(ReplaceFile, FailureLeavesTheOldTextAndNothingElse) {
    const RecordedRoot folder;
    folder.write("file", "old");
    const auto path = folder.root().at("file"), another = folder.root().at("another");
    std::error_code replaced, made;
    {
        const FileSizeLimit limit(4);
        replaced = failure([&] { replace_file(path, "longer than that"); }, "write ");
        made = failure([&] { replace_file(another, "longer than that"); }, "write ");
    }
    EXPECT_EQ(replaced, std::errc::file_too_large);
    EXPECT_EQ(made, std::errc::file_too_large);
    EXPECT_EQ(folder.root().read("file"), "old");
    EXPECT_THAT(folder.root().list(""), ElementsAre("file"));
}

} // namespace
} // namespace base
