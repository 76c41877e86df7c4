#include "base/error.h"
#include "base/files.h"
#include "probes/benchmark.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace probes {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Longer than any test takes; none of them waits for it.
constexpr auto ages = 60s;

/// Nothing blocked or ignored, in whatever environment the tests were started.
base::OriginalSignals no_signals() {
    base::OriginalSignals original{};
    sigemptyset(&original.blocked);
    sigemptyset(&original.ignored);
    return original;
}

struct BenchmarkTest : testing::Test {
    base::OriginalSignals original = no_signals();
    base::Loop loop;
    std::vector<std::string> echoed;
    std::unique_ptr<Benchmark> benchmark;

    void start(std::vector<std::string> command) {
        benchmark = std::make_unique<Benchmark>(
            loop, std::move(command), original,
            [this](std::string_view line) { echoed.emplace_back(line); });
        benchmark->on_end([this] { loop.stop(); });
    }
    void shell(const std::string& script) { start({"/bin/sh", "-c", script}); }

    /// Serves until the benchmark has ended.
    std::optional<int> finish() {
        EXPECT_FALSE(loop.run_until(base::monotonic_now() + ages)) << "it never ended";
        loop.resume();
        return benchmark->exit_status();
    }
    /// Serves until a line was echoed that contains `text`.
    void await(const std::string& text) {
        const auto deadline = base::monotonic_now() + ages;
        while (!testing::Matches(Contains(HasSubstr(text)))(echoed)) {
            ASSERT_LT(base::monotonic_now(), deadline) << "no line with " << text;
            loop.run_until(base::monotonic_now() + 1ms);
        }
    }
};

/// A zombie that init has not looked at yet counts as gone.
bool is_alive(pid_t pid) {
    const auto stat = base::read_file("/proc/" + std::to_string(pid) + "/stat");
    return stat && stat->find(") Z ") == stat->npos;
}

/// Waits until a process that is nobody's child here has gone.
void await_end_of(pid_t pid) {
    for (int i = 0; i < 10'000 && is_alive(pid); ++i)
        usleep(1000);
    EXPECT_FALSE(is_alive(pid));
}

TEST_F(BenchmarkTest, OrdinaryOne) {
    shell("echo one; echo two");
    EXPECT_TRUE(benchmark->running());
    EXPECT_GT(benchmark->pid(), 0);
    EXPECT_EQ(benchmark->exit_status(), std::nullopt);
    EXPECT_EQ(finish(), 0);
    EXPECT_FALSE(benchmark->running());
    EXPECT_EQ(benchmark->output(), "one\ntwo\n");
    EXPECT_THAT(echoed, ElementsAre("one", "two"));
}

TEST_F(BenchmarkTest, FailingOneKeepsItsLastWords) {
    shell("for i in $(seq 1 30); do echo error $i >&2; done; exit 7");
    EXPECT_EQ(finish(), 7);
    ASSERT_EQ(benchmark->last_errors().size(), 20U);
    EXPECT_EQ(benchmark->last_errors().front(), "error 11");
    EXPECT_EQ(benchmark->last_errors().back(), "error 30");
    EXPECT_EQ(echoed.size(), 30U);
}

TEST_F(BenchmarkTest, KilledBySignal) {
    shell("kill -SEGV $$");
    EXPECT_EQ(finish(), 128 + SIGSEGV);
}

TEST_F(BenchmarkTest, NotExisting) {
    try {
        start({"no-such-benchmark", "-x"});
        FAIL() << "was started";
    } catch (const std::system_error& error) {
        EXPECT_STREQ(error.what(), "run no-such-benchmark: No such file or directory");
    }
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was left behind";
}

TEST_F(BenchmarkTest, NoCommand) { EXPECT_THROW(start({}), base::UsageError); }

TEST_F(BenchmarkTest, BothStreamsAreEchoedOnlyOutputIsKept) {
    shell("echo out; echo err >&2");
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(benchmark->output(), "out\n");
    EXPECT_THAT(benchmark->last_errors(), ElementsAre("err"));
    EXPECT_THAT(echoed, UnorderedElementsAre("out", "err"));
}

TEST_F(BenchmarkTest, LinesComeAsTheyAreWritten) {
    shell("echo begun; read never; echo ended");
    await("begun");
    EXPECT_TRUE(benchmark->running() || benchmark->output() == "begun\nended\n");
}

TEST_F(BenchmarkTest, NoNewlineAtTheEnd) {
    shell("printf 'half'; printf 'oops' >&2");
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(benchmark->output(), "half");
    EXPECT_THAT(echoed, UnorderedElementsAre("half", "oops"));
    EXPECT_THAT(benchmark->last_errors(), ElementsAre("oops"));
}

TEST_F(BenchmarkTest, HugeOutputKeepsItsEnd) {
    size_t lines = 0;
    benchmark = std::make_unique<Benchmark>(
        loop,
        std::vector<std::string>{"/bin/sh", "-c",
                                 "yes 123456789012345 | head -n 2500000; echo the end"},
        original, [&](std::string_view) { ++lines; });
    benchmark->on_end([this] { loop.stop(); });
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(lines, 2'500'001U);
    EXPECT_EQ(benchmark->output().size(), 16U * 1024 * 1024);
    EXPECT_TRUE(benchmark->output().ends_with("\nthe end\n"));
}

TEST_F(BenchmarkTest, OutputClosedLongBeforeTheEnd) {
    shell("echo last; exec >&- 2>&-; sleep 0.05; exit 3");
    EXPECT_EQ(finish(), 3);
    EXPECT_EQ(benchmark->output(), "last\n");
}

TEST_F(BenchmarkTest, TerminatedWithinItsGrace) {
    shell("trap 'echo tidy; exit 5' TERM; echo ready; while :; do sleep 0.01; done");
    await("ready");
    benchmark->terminate(ages);
    EXPECT_EQ(finish(), 5);
    EXPECT_THAT(echoed, Contains("tidy"));
}

TEST_F(BenchmarkTest, KilledAfterItsGrace) {
    shell("trap '' TERM; echo ready; while :; do sleep 0.01; done");
    await("ready");
    benchmark->terminate(10ms);
    benchmark->terminate(20ms);
    EXPECT_EQ(finish(), 128 + SIGKILL);
}

TEST_F(BenchmarkTest, StoppedOneIsTerminatedToo) {
    shell("echo ready; kill -STOP $$; sleep 60");
    await("ready");
    benchmark->terminate(ages);
    EXPECT_EQ(finish(), 128 + SIGTERM);
}

TEST_F(BenchmarkTest, InterruptReachesTheWholeGroup) {
    shell("trap 'echo told; exit 9' INT; sleep 60 & echo ready; wait");
    await("ready");
    benchmark->interrupt(SIGINT);
    EXPECT_EQ(finish(), 9);
    EXPECT_THAT(echoed, Contains("told"));
}

TEST_F(BenchmarkTest, GrandchildKeepingThePipesOpenDelaysNothing) {
    shell("sleep 60 & echo $!; exit 4");
    EXPECT_EQ(finish(), 4);
    const pid_t grandchild = std::stoi(std::string(benchmark->output()));
    await_end_of(grandchild); // ended with the benchmark, not with us
}

TEST_F(BenchmarkTest, GrandchildThatWritesForEverDelaysNothing) {
    shell("trap 'exit 4' USR1; (trap '' TERM USR1; exec yes) & wait");
    await("y");
    benchmark->interrupt(SIGUSR1);
    EXPECT_EQ(finish(), 4);
}

TEST_F(BenchmarkTest, DestructorLeavesNothingBehind) {
    shell("trap '' TERM; sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.01; done' & "
          "sleep 60; sleep 60");
    const auto deadline = base::monotonic_now() + ages;
    while (echoed.empty() && base::monotonic_now() < deadline)
        loop.run_until(base::monotonic_now() + 1ms);
    const pid_t child = benchmark->pid();
    const pid_t grandchild = std::stoi(echoed.at(0));
    benchmark.reset();
    EXPECT_EQ(kill(child, 0), -1) << "not even as a zombie";
    await_end_of(grandchild);
}

TEST_F(BenchmarkTest, OtherChildrenAreLeftToTheirParents) {
    const pid_t other = fork();
    if (other == 0) _exit(42);
    shell("exit 3");
    EXPECT_EQ(finish(), 3);
    benchmark.reset();
    int status = 0;
    ASSERT_EQ(waitpid(other, &status, 0), other);
    EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST_F(BenchmarkTest, SignalsAreAsWeGotThem) {
    sigset_t ours, before;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &ours, &before);
    auto* const pipe_before = signal(SIGPIPE, SIG_IGN);
    shell("kill -INT $$; echo survived");
    EXPECT_EQ(finish(), 128 + SIGINT);
    start({"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"});
    EXPECT_EQ(finish(), 0);
    signal(SIGPIPE, pipe_before);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    start({"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"});
    const auto wanted = echoed;
    echoed.clear();
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(echoed, wanted);
    EXPECT_THAT(echoed, Contains(HasSubstr("SigBlk")));
}

TEST_F(BenchmarkTest, RunsInAGroupOfItsOwn) {
    shell("echo $(cut -d' ' -f5 /proc/$$/stat)");
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(benchmark->output(), std::to_string(benchmark->pid()) + "\n");
}

TEST_F(BenchmarkTest, ReadsOurInput) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    ASSERT_EQ(write(ends[1], "hello\n", 6), 6);
    close(ends[1]);
    const int before = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    start({"cat"});
    dup2(before, STDIN_FILENO);
    close(before);
    EXPECT_EQ(finish(), 0);
    EXPECT_EQ(benchmark->output(), "hello\n");
}

/// In a session whose terminal is `name`: does a benchmark read from it, and do we get it back?
int read_from_terminal(const char* name) {
    setsid();
    const int terminal = open(name, O_RDWR);
    dup2(terminal, STDIN_FILENO);
    if (tcgetpgrp(STDIN_FILENO) != getpgrp()) return 10;
    base::Loop loop;
    Benchmark benchmark(loop, {"/bin/sh", "-c", "read line; echo $line"}, no_signals(),
                        [](std::string_view) {});
    benchmark.on_end([&] { loop.stop(); });
    loop.run_until(base::monotonic_now() + ages);
    if (benchmark.exit_status() != 0) return 11;
    if (benchmark.output() != "hello\n") return 12;
    return tcgetpgrp(STDIN_FILENO) == getpgrp() ? 0 : 13;
}

TEST(BenchmarkTerminal, IsLentAndGivenBack) {
    const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(master, 0);
    ASSERT_EQ(grantpt(master), 0);
    ASSERT_EQ(unlockpt(master), 0);
    const std::string name = ptsname(master);
    const pid_t session = fork();
    if (session == 0) _exit(read_from_terminal(name.c_str()));
    ASSERT_EQ(write(master, "hello\n", 6), 6);
    int status = 0;
    ASSERT_EQ(waitpid(session, &status, 0), session);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    close(master);
}

} // namespace
} // namespace probes
