#include "base/signals.h"

#include <gtest/gtest.h>

#include <poll.h>
#include <unistd.h>

namespace base {
namespace {

bool is_blocked(int signal) {
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    return sigismember(&now, signal) == 1;
}

/// Changes a disposition for the life of a test.
struct Disposition {
    Disposition(int which, void (*handler)(int)) : number(which), before(signal(which, handler)) {}
    Disposition(const Disposition&) = delete;
    Disposition& operator=(const Disposition&) = delete;
    ~Disposition() { signal(number, before); }
    int number;
    void (*before)(int);
};

TEST(Signals, AreReadInsteadOfInterrupting) {
    const Disposition hangup(SIGHUP, SIG_DFL);
    Signals signals(read_signals());
    EXPECT_EQ(signals.take(), std::nullopt);
    kill(getpid(), SIGHUP);
    pollfd entry{signals.fd(), POLLIN, 0};
    EXPECT_EQ(poll(&entry, 1, 10'000), 1);
    EXPECT_EQ(signals.take(), SIGHUP);
    EXPECT_EQ(signals.take(), std::nullopt);
}

TEST(Signals, StopALoop) {
    const Disposition hangup(SIGHUP, SIG_DFL);
    Signals signals(read_signals());
    Loop loop;
    stop_at_signals(loop, signals);
    EXPECT_TRUE(loop.run_until(Nanoseconds::zero()));
    kill(getpid(), SIGHUP);
    EXPECT_FALSE(loop.run_until(monotonic_now() + std::chrono::seconds(30)));
    EXPECT_EQ(signals.take(), std::nullopt);
}

TEST(Signals, AllThreeAreBlockedForItsLife) {
    const Disposition interrupt(SIGINT, SIG_DFL), terminate(SIGTERM, SIG_DFL),
        hangup(SIGHUP, SIG_DFL);
    {
        const Signals signals(read_signals());
        for (const int signal : {SIGINT, SIGTERM, SIGHUP})
            EXPECT_TRUE(is_blocked(signal));
        EXPECT_FALSE(is_blocked(SIGUSR1));
    }
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        EXPECT_FALSE(is_blocked(signal));
}

TEST(Signals, IgnoredAtTheStartStaysIgnored) {
    const Disposition hangup(SIGHUP, SIG_IGN);
    Signals signals(read_signals());
    kill(getpid(), SIGHUP);
    EXPECT_EQ(signals.take(), std::nullopt);
    EXPECT_FALSE(is_blocked(SIGHUP));
}

TEST(OriginalSignals, AreRestored) {
    const Disposition pipe(SIGPIPE, SIG_DFL), hangup(SIGHUP, SIG_IGN);
    const auto original = read_signals();
    EXPECT_EQ(sigismember(&original.ignored, SIGHUP), 1);
    EXPECT_EQ(sigismember(&original.ignored, SIGPIPE), 0);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, [](int) {});
    const Signals signals(original);
    restore_signals(original);
    EXPECT_FALSE(is_blocked(SIGINT));
    EXPECT_EQ(signal(SIGPIPE, SIG_DFL), SIG_DFL);
    EXPECT_EQ(signal(SIGHUP, SIG_IGN), SIG_IGN);
}

} // namespace
} // namespace base
