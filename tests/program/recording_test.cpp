#include "base/files.h"
#include "tests/program/program.h"

#include <gmock/gmock.h>

#include <csignal>

namespace {

using program::run;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

int count(std::string_view text, std::string_view what) {
    int found = 0;
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1))
        ++found;
    return found;
}

class Recording : public testing::Test {
  protected:
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string text() const { return base::read_file(file_).value_or(""); }
    void store(const std::string& text) { base::replace_file(file_, text); }
    /// `watch` with five short windows.
    program::Ended record(std::vector<std::string> options, const program::Options& how = {}) {
        options.insert(options.begin(), {"watch", "-n", "5", "-p", "20ms", "--record", file_});
        return run(options, how);
    }
    program::Ended replay(std::vector<std::string> options = {}) {
        options.insert(options.begin(), {"watch", "--replay", file_});
        return run(options);
    }

    std::filesystem::path folder_ = program::fresh_folder("recording");
    std::string file_ = folder_ / "moment.soak";
};

TEST_F(Recording, is_replayed_to_the_same_lines) {
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"-B"}, {"--format", "json"}, {"--format", "csv"}}) {
        const auto live = record(options);
        EXPECT_EQ(live.exit_status, 0) << live.err;
        const auto replayed = replay(options);
        EXPECT_EQ(replayed.exit_status, 0) << replayed.err;
        EXPECT_EQ(replayed.out, live.out);
    }
}

TEST_F(Recording, is_whole_after_an_interruption) {
    program::Running running({"watch", "-p", "100ms", "--record", file_});
    ASSERT_TRUE(running.says("System load"));
    running.signal(SIGINT);
    const auto live = running.wait();
    EXPECT_EQ(live.exit_status, 0) << live.err;
    const auto replayed = replay();
    EXPECT_EQ(replayed.exit_status, 0) << replayed.err;
    EXPECT_EQ(replayed.out, live.out);
}

TEST_F(Recording, that_was_cut_is_replayed_as_far_as_it_goes) {
    const auto live = record({"-B"});
    const auto whole = text();
    store(whole.substr(0, whole.size() - 20));
    const auto end = replay({"-B"});
    EXPECT_EQ(end.exit_status, 1);
    EXPECT_EQ(live.out.substr(0, end.out.size()), end.out);
    EXPECT_THAT(end.err, AllOf(HasSubstr(file_), HasSubstr("cut"),
                               HasSubstr("byte " + std::to_string(whole.size() - 20))));
    store(whole.substr(0, whole.size() / 2));
    const auto half = replay({"-B"});
    EXPECT_EQ(half.exit_status, 1);
    EXPECT_LE(half.out.size(), end.out.size());
    EXPECT_THAT(live.out, StartsWith(half.out));
}

TEST_F(Recording, that_does_not_fit_on_the_disk_ends_and_the_watching_goes_on) {
    const auto live =
        record({}, {.before = {"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""}});
    EXPECT_EQ(live.exit_status, 1);
    EXPECT_THAT(live.err, AllOf(HasSubstr("the recording ends here"), HasSubstr(file_),
                                HasSubstr("File too large")));
    EXPECT_EQ(count(live.out, "\n") + count(live.err, "thrown away"), 5);
    EXPECT_EQ(replay().exit_status, 1);
}

TEST_F(Recording, goes_into_a_file_and_nothing_else) {
    file_ = "/dev/full";
    auto refused = record({});
    EXPECT_EQ(refused.exit_status, 2);
    EXPECT_THAT(refused.err, HasSubstr("--record: /dev/full is not a file"));
    EXPECT_EQ(refused.out, "");
    file_ = folder_ / "no" / "such.soak";
    refused = record({});
    EXPECT_EQ(refused.exit_status, 1);
    EXPECT_THAT(refused.err, AllOf(HasSubstr(file_), HasSubstr("No such file")));
    EXPECT_EQ(refused.out, "");
}

TEST_F(Recording, of_something_else_is_refused) {
    EXPECT_THAT(replay().err, AllOf(HasSubstr(file_), HasSubstr("No such file")));
    store("{\"cyclesoak recording\":7,\"by\":\"somebody later\"}\n....");
    EXPECT_THAT(replay().err, HasSubstr("of version 7; this cyclesoak reads version 2"));
    store("System load:  0.0% || Free: 100.0%(0)\n");
    EXPECT_THAT(replay().err, HasSubstr("not a recording"));
    const auto refused = replay();
    EXPECT_EQ(refused.exit_status, 1);
    EXPECT_EQ(refused.out, "");
}

TEST_F(Recording, knows_all_about_its_windows) {
    for (const std::vector<std::string>& options : {std::vector<std::string>{"-p", "1"},
                                                    {"-n", "3"},
                                                    {"-1"},
                                                    {"-C"},
                                                    {"--cpus", "0"},
                                                    {"--working-set", "l1"},
                                                    {"--yield", "none"},
                                                    {"--record", "x"}}) {
        const auto refused = replay(options);
        EXPECT_EQ(refused.exit_status, 2);
        EXPECT_THAT(refused.err, HasSubstr("excludes")) << options.front();
    }
}

} // namespace
