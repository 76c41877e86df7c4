#include "agent/verifier.h"
#include "tests/agent/some_passwords.h"

#include <gmock/gmock.h>

#include <future>

namespace agent {
namespace {

const Passwords anna = {{"anna", bcrypt("right")}};

/// Waits for the verdict.
Verdict ask(Verifier& verifier, const std::string& name_and_password) {
    std::promise<Verdict> promise;
    const auto at_once =
        verifier.verify(name_and_password, [&](Verdict verdict) { promise.set_value(verdict); });
    return at_once ? *at_once : promise.get_future().get();
}

/// Holds up the verifying thread until release().
class HeldUp {
  public:
    explicit HeldUp(Verifier& verifier) {
        std::promise<void> begun;
        verifier.verify("nobody:held up", [&, released = released_.get_future().share()](Verdict) {
            begun.set_value();
            released.wait();
        });
        begun.get_future().wait();
    }
    void release() { released_.set_value(); }

  private:
    std::promise<void> released_;
};

TEST(Verifier, verifies_each_password_once) {
    Verifier verifier(anna);
    verifier.start();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(ask(verifier, "anna:right"), Verdict::right);
        EXPECT_EQ(ask(verifier, "anna:wrong"), Verdict::wrong);
        EXPECT_EQ(ask(verifier, "bert:right"), Verdict::wrong);
    }
    EXPECT_EQ(verifier.verified_count(), 3u);
}

TEST(Verifier, verifies_a_password_once_for_all_who_come_with_it_meanwhile) {
    std::vector<std::promise<Verdict>> promises(100);
    Verifier verifier(anna);
    verifier.start();
    HeldUp held_up(verifier);
    for (auto& promise : promises)
        ASSERT_EQ(
            verifier.verify("anna:right", [&](Verdict verdict) { promise.set_value(verdict); }),
            std::nullopt);
    held_up.release();
    for (auto& promise : promises)
        EXPECT_EQ(promise.get_future().get(), Verdict::right);
    EXPECT_EQ(verifier.verified_count(), 2u);
}

TEST(Verifier, is_busy_when_too_many_wait) {
    Verifier verifier(anna);
    verifier.start();
    HeldUp held_up(verifier);
    int waiting = 0;
    while (waiting < 1000 && !verifier.verify("anna:" + std::to_string(waiting), [](Verdict) {}))
        ++waiting;
    EXPECT_EQ(waiting, 16);
    EXPECT_EQ(verifier.verify("anna:right", nullptr), Verdict::busy);
    held_up.release();
    EXPECT_EQ(ask(verifier, "anna:15"), Verdict::wrong);
    EXPECT_EQ(ask(verifier, "anna:right"), Verdict::right);
}

TEST(Verifier, does_not_let_many_wrong_ones_displace_a_right_one) {
    Verifier verifier(anna);
    verifier.start();
    ask(verifier, "anna:right");
    for (int i = 0; i < 300; ++i)
        ask(verifier, "anna:" + std::to_string(i));
    EXPECT_EQ(verifier.verified_count(), 301u);
    ask(verifier, "anna:right");
    ask(verifier, "anna:299");
    EXPECT_EQ(verifier.verified_count(), 301u);
    ask(verifier, "anna:0");
    EXPECT_EQ(verifier.verified_count(), 302u);
}

TEST(Verifier, forgets_with_the_passwords) {
    Verifier verifier(anna);
    verifier.start();
    EXPECT_EQ(ask(verifier, "anna:right"), Verdict::right);
    EXPECT_EQ(ask(verifier, "anna:new"), Verdict::wrong);
    verifier.replace(anna);
    ask(verifier, "anna:right");
    EXPECT_EQ(verifier.verified_count(), 2u);
    verifier.replace({{"anna", bcrypt("new")}});
    EXPECT_EQ(ask(verifier, "anna:right"), Verdict::wrong);
    EXPECT_EQ(ask(verifier, "anna:new"), Verdict::right);
}

TEST(Verifier, verifies_by_the_newest_passwords) {
    std::promise<Verdict> promise;
    Verifier verifier({{"anna", bcrypt("right", "10")}});
    verifier.start();
    verifier.verify("anna:right", [&](Verdict verdict) { promise.set_value(verdict); });
    while (verifier.verified_count() == 0)
        std::this_thread::yield();
    // In the middle of it.
    verifier.replace({{"anna", bcrypt("new")}});
    EXPECT_EQ(promise.get_future().get(), Verdict::wrong);
}

TEST(Verifier, leaves_nobody_waiting_when_it_stops) {
    std::promise<Verdict> promise;
    Verifier verifier(anna);
    EXPECT_EQ(ask(verifier, "anna:right"), Verdict::busy);
    verifier.start();
    HeldUp held_up(verifier);
    verifier.verify("anna:right", [&](Verdict verdict) { promise.set_value(verdict); });
    std::thread stopping([&] { verifier.stop(); });
    while (verifier.verify("anna:other", [](Verdict) {}) != Verdict::busy)
        std::this_thread::yield();
    held_up.release();
    stopping.join();
    EXPECT_EQ(promise.get_future().get(), Verdict::busy);
    verifier.start();
    EXPECT_EQ(ask(verifier, "anna:right"), Verdict::right);
}

} // namespace
} // namespace agent
