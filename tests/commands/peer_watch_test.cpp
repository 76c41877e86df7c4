#include "commands/peer_watch.h"
#include "exporters/totals_json.h"
#include "tests/fake_agent.h"

#include <gmock/gmock.h>

#include <map>
#include <mutex>

namespace {

using namespace std::chrono_literals;
using commands::PeerWatch;
using testing::HasSubstr;

/// An agent whose clock has nothing to do with ours, and which reads when it is told to.
class PeerWatchTest : public testing::Test {
  protected:
    std::string answer(const std::string& request) {
        const std::lock_guard lock(mutex_);
        if (!instead_.empty()) return instead_;
        const auto now = totals_.time + age_;
        return FakeAgent::ok(request.starts_with("GET /api/v1/windows ")
                                 ? exporters::make_windows(totals_, now)
                                 : exporters::make_totals(totals_, now));
    }
    void read(base::Nanoseconds time, base::Nanoseconds age = 0s) {
        const std::lock_guard lock(mutex_);
        totals_.time = time;
        age_ = age;
    }
    void say(const std::string& text) {
        const std::lock_guard lock(mutex_);
        instead_ = text;
    }

    std::mutex mutex_;
    demand::Totals totals_;
    base::Nanoseconds age_{};
    std::string instead_;
    FakeAgent fake_{[this](const std::string& request) { return answer(request); }};
    base::Loop loop_;
    commands::Progress progress_{true};
    PeerWatch watch_{agent::read_peer_access(fake_.address(), {}, {}), loop_, progress_};
};

std::vector<base::Nanoseconds> times(const std::vector<demand::PeerReading>& readings) {
    std::vector<base::Nanoseconds> result;
    for (const auto& reading : readings)
        result.push_back(reading.totals.time);
    return result;
}

TEST_F(PeerWatchTest, keeps_each_reading_once_and_knows_which_is_from_after_the_load) {
    read(100s);
    watch_.ask();
    watch_.ask();
    read(101s);
    watch_.ask();
    watch_.load_ended();
    read(102s, 1h); // long before its end
    watch_.ask();
    read(103s);
    watch_.ask();
    read(104s);
    const auto heard = watch_.finish(2);
    EXPECT_EQ(times(heard.before), (std::vector<base::Nanoseconds>{100s, 101s}));
    EXPECT_EQ(times(heard.after), (std::vector<base::Nanoseconds>{103s, 104s}));
    EXPECT_TRUE(heard.windows);
    EXPECT_EQ(heard.failure, "");
    EXPECT_EQ(heard.address, fake_.address());
}

TEST_F(PeerWatchTest, does_not_wait_for_ever_for_one_that_reads_nothing_new) {
    read(100s, 1h);
    watch_.ask();
    watch_.load_ended();
    const auto heard = watch_.finish(1);
    EXPECT_TRUE(heard.after.empty());
    EXPECT_FALSE(heard.windows);
}

TEST_F(PeerWatchTest, asks_no_more_after_a_failure_and_keeps_what_it_heard) {
    read(100s);
    watch_.ask();
    testing::internal::CaptureStderr();
    say(FakeAgent::status("500 Internal Server Error"));
    watch_.ask();
    say("");
    watch_.ask();
    watch_.load_ended();
    const auto heard = watch_.finish(3);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("HTTP status 500"));
    EXPECT_EQ(fake_.asked(), 2);
    EXPECT_THAT(heard.failure, HasSubstr("HTTP status 500"));
    EXPECT_EQ(heard.before.size(), 1u);
    EXPECT_TRUE(heard.after.empty());
}

TEST_F(PeerWatchTest, another_schema_is_a_failure) {
    say(FakeAgent::ok(R"({"schema": 2})"));
    testing::internal::CaptureStderr();
    watch_.ask();
    watch_.load_ended();
    EXPECT_THAT(watch_.finish(1).failure, HasSubstr("schema 2 is not known here"));
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("schema 2"));
}

TEST_F(PeerWatchTest, ends_when_the_loop_is_stopped) {
    read(100s, 1h);
    watch_.load_ended();
    loop_.stop();
    EXPECT_TRUE(watch_.finish(1).after.empty());
}

} // namespace
