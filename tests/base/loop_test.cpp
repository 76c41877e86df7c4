#include "base/descriptor.h"
#include "base/loop.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace base {
namespace {

using namespace std::chrono_literals;

/// Only a test that fails waits so long.
Nanoseconds far_away() { return monotonic_now() + 30s; }

/// A pipe with a byte in it: readable until someone reads it.
Pipe make_readable() {
    auto pipe = make_pipe();
    EXPECT_EQ(write(pipe.write.get(), "x", 1), 1);
    return pipe;
}

TEST(Loop, RunsUntilTheDeadline) {
    Loop loop;
    const auto deadline = monotonic_now() + 2ms;
    EXPECT_TRUE(loop.run_until(deadline));
    EXPECT_GE(monotonic_now(), deadline);
}

TEST(Loop, DeadlineThatHasPassedIsReached) {
    Loop loop;
    EXPECT_TRUE(loop.run_until(Nanoseconds::zero()));
    EXPECT_FALSE(loop.stopped());
}

TEST(Loop, ServesWhatIsReadyEvenWhenItIsLate) {
    Loop loop;
    const auto pipe = make_readable();
    loop.watch(pipe.read.get(), [&] { loop.stop(); });
    EXPECT_FALSE(loop.run_until(Nanoseconds::zero()));
}

TEST(Loop, ServesWhatIsReadable) {
    Loop loop;
    const auto pipe = make_readable(), quiet = make_pipe();
    char got = 0;
    loop.watch(pipe.read.get(), [&] {
        EXPECT_EQ(read(pipe.read.get(), &got, 1), 1);
        loop.stop();
    });
    loop.watch(quiet.read.get(), [] { FAIL() << "has nothing to read"; });
    EXPECT_FALSE(loop.run_until(far_away()));
    EXPECT_EQ(got, 'x');
}

TEST(Loop, ServesWhatWasHungUp) {
    Loop loop;
    auto pipe = make_pipe();
    pipe.write.close();
    loop.watch(pipe.read.get(), [&] { loop.stop(); });
    EXPECT_FALSE(loop.run_until(far_away()));
}

TEST(Loop, ServesAgainAndAgain) {
    Loop loop;
    const auto pipe = make_readable();
    int calls = 0;
    loop.watch(pipe.read.get(), [&] {
        if (++calls == 3) loop.stop();
    });
    EXPECT_FALSE(loop.run_until(far_away()));
    EXPECT_EQ(calls, 3);
}

TEST(Loop, CallbackKeepsItsOwnState) {
    Loop loop;
    const auto pipe = make_readable();
    loop.watch(pipe.read.get(), [&loop, calls = 0]() mutable {
        if (++calls == 3) loop.stop();
    });
    EXPECT_FALSE(loop.run_until(far_away()));
}

TEST(Loop, CallbackReplacesItself) {
    Loop loop;
    const auto pipe = make_readable();
    const auto held = std::make_shared<int>(1);
    loop.watch(pipe.read.get(), [&loop, &pipe, held] {
        loop.watch(pipe.read.get(), [&loop] { loop.stop(); });
        EXPECT_EQ(*held, 1); // still there
    });
    EXPECT_FALSE(loop.run_until(far_away()));
    EXPECT_EQ(held.use_count(), 1);
}

TEST(Loop, LastWatchOfADescriptorCounts) {
    Loop loop;
    const auto pipe = make_readable();
    loop.watch(pipe.read.get(), [] { FAIL() << "was replaced"; });
    loop.watch(pipe.read.get(), [&] { loop.stop(); });
    EXPECT_FALSE(loop.run_until(far_away()));
}

TEST(Loop, ForgottenIsNotServed) {
    Loop loop;
    const auto forgotten = make_readable(), kept = make_readable();
    loop.watch(forgotten.read.get(), [] { FAIL() << "was forgotten"; });
    loop.watch(kept.read.get(), [&] { loop.stop(); });
    loop.forget(forgotten.read.get());
    loop.forget(forgotten.read.get());
    EXPECT_FALSE(loop.run_until(far_away()));
}

TEST(Loop, CallbackForgetsAnother) {
    Loop loop;
    const auto one = make_readable(), other = make_readable();
    std::vector<int> served;
    // Both are readable at once; whichever comes first forgets the other.
    const auto watch = [&](int mine, int its) {
        loop.watch(mine, [&, mine, its] {
            loop.forget(its);
            served.push_back(mine);
            if (served.size() == 2) loop.stop();
        });
    };
    watch(one.read.get(), other.read.get());
    watch(other.read.get(), one.read.get());
    EXPECT_FALSE(loop.run_until(far_away()));
    ASSERT_EQ(served.size(), 2U);
    EXPECT_EQ(served[0], served[1]);
}

TEST(Loop, CallbackForgetsItself) {
    Loop loop;
    const auto pipe = make_readable(), after = make_readable();
    int calls = 0, rounds = 0;
    const auto held = std::make_shared<int>(1);
    loop.watch(pipe.read.get(), [&loop, &pipe, &calls, held] {
        loop.forget(pipe.read.get());
        calls += *held;
    });
    loop.watch(after.read.get(), [&] {
        if (++rounds == 2) loop.stop();
    });
    EXPECT_FALSE(loop.run_until(far_away()));
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(held.use_count(), 1);
}

TEST(Loop, CallbackWatchesAnother) {
    Loop loop;
    const auto first = make_readable(), second = make_readable();
    loop.watch(first.read.get(), [&] { loop.watch(second.read.get(), [&] { loop.stop(); }); });
    EXPECT_FALSE(loop.run_until(far_away()));
}

TEST(Loop, StaysStoppedUntilResumed) {
    Loop loop;
    const auto pipe = make_readable();
    int calls = 0;
    loop.watch(pipe.read.get(), [&] {
        ++calls;
        loop.stop();
    });
    loop.stop();
    EXPECT_TRUE(loop.stopped());
    EXPECT_FALSE(loop.run_until(far_away()));
    EXPECT_FALSE(loop.run_until(Nanoseconds::zero()));
    EXPECT_EQ(calls, 0);
    loop.resume();
    EXPECT_FALSE(loop.stopped());
    EXPECT_FALSE(loop.run_until(far_away()));
    EXPECT_EQ(calls, 1);
}

} // namespace
} // namespace base
