#include "agent/agent.h"
#include "base/cpu_list.h"
#include "base/error.h"
#include "base/text.h"
#include "tests/agent/own_state.h"

#include <gmock/gmock.h>

#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace agent {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;

/// An agent on this machine, with a folder of its own for its lock and calibrations.
class AgentTest : public testing::Test {
  protected:
    AgentTest() {
        plan_.working_set = soak::WorkingSetChoice::parse("l1");
        plan_.duty_ratio = 0.3;
        plan_.lock = state_.path() / "lock";
    }

    /// Runs one until `done`, asked once a second, or for two minutes: the machine may be busy.
    void run(const std::function<bool(Agent&, const demand::Totals&)>& done) {
        Surroundings surroundings{[this](const std::string& line) { said_.push_back(line); },
                                  [&](demand::PublishedTotals totals) {
                                      totals_ = std::move(totals);
                                      if (done(*agent_, *totals_) || ++published_ > 120)
                                          agent_->stop();
                                  },
                                  [](const auto& fork) { fork(); }};
        agent_.emplace(plan_, loop_, surroundings);
        agent_->run();
        EXPECT_LE(published_, 120) << "never happened";
        agent_.reset();
    }

    OwnState state_;
    Plan plan_;
    base::Loop loop_;
    std::optional<Agent> agent_;
    std::vector<std::string> said_;
    demand::PublishedTotals totals_;
    int published_ = 0;
};

/// Processes that this one has started.
std::vector<pid_t> children() {
    const auto self = std::to_string(getpid());
    const auto text =
        base::Root().read("/proc/" + self + "/task/" + self + "/children").value_or("");
    std::vector<pid_t> pids;
    for (const auto word : base::split(text))
        if (const auto pid = base::parse_integer(base::trim(word)))
            pids.push_back(static_cast<pid_t>(*pid));
    return pids;
}

bool has_windows(const demand::Totals& totals, uint64_t more_than = 0) {
    return totals.windows > more_than;
}

TEST_F(AgentTest, counts_windows_and_all_the_time_between_them) {
    run([](Agent&, const auto& totals) {
        return has_windows(totals, 5) && totals.cpus.front().accounted > 1s;
    });
    EXPECT_EQ(totals_->cpus.size(), soak::unreserved(soak::Topology().cpus(), base::Root()).size());
    EXPECT_EQ(totals_->duty_ratio, 0.3);
    EXPECT_NE(totals_->yielding, "");
    EXPECT_NE(totals_->calibration, demand::CalibrationState::missing);
    EXPECT_GT(totals_->soakers_cpu, 0ns);
    EXPECT_GT(totals_->own.cpu, 0ns);
    EXPECT_FALSE(totals_->host.empty());
    Nanoseconds observed{}, recent{};
    for (const auto& cpu : totals_->cpus)
        observed += cpu.windows.elapsed;
    for (const auto& window : totals_->recent)
        recent += window.window.elapsed;
    EXPECT_GT(observed, 0ns);
    EXPECT_EQ(observed, recent);
}

TEST_F(AgentTest, soaks_always_if_told_to) {
    plan_.duty_ratio = 1;
    run([](Agent&, const auto& totals) { return has_windows(totals, 1); });
    EXPECT_GT(totals_->cpus.front().windows.elapsed, 0ns);
}

TEST_F(AgentTest, gives_way_and_goes_on) {
    enum { working, paused, resumed } state = working;
    uint64_t windows = 0;
    std::optional<soak::Holder> other;
    run([&](Agent& agent, const demand::Totals& totals) {
        if (state == working && has_windows(totals)) {
            agent.pause();
            other.emplace(plan_.lock, base::CpuList{totals.cpus.front().cpu});
            state = paused;
        } else if (state == paused) {
            EXPECT_GT(totals.paused, 0ns);
            EXPECT_NE(totals.obstacle, "");
            windows = totals.windows;
            other.reset();
            agent.resume();
            state = resumed;
        } else if (state == resumed && has_windows(totals, windows)) {
            EXPECT_EQ(totals.obstacle, "");
            return true;
        }
        return false;
    });
    EXPECT_EQ(state, resumed);
}

TEST_F(AgentTest, may_be_paused_while_it_calibrates) {
    bool paused = false;
    run([&](Agent& agent, const demand::Totals& totals) {
        if (!std::exchange(paused, true)) {
            // Nothing is calibrated at the first reading; what begins now is ended soon.
            agent.pause();
            agent.resume();
        }
        return has_windows(totals);
    });
}

TEST_F(AgentTest, waits_for_others_who_soak) {
    // A lock of our own process would not keep us out.
    const pid_t other = fork();
    if (other == 0) {
        const soak::Holder holder(plan_.lock, soak::Topology().cpus());
        std::this_thread::sleep_for(60s);
        _exit(0);
    }
    while (!std::filesystem::exists(plan_.lock))
        std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(100ms);
    bool ended = false;
    run([&](Agent&, const demand::Totals& totals) {
        if (!std::exchange(ended, true)) {
            EXPECT_THAT(totals.obstacle, HasSubstr("process " + std::to_string(other)));
            kill(other, SIGKILL);
        }
        return has_windows(totals);
    });
    waitpid(other, nullptr, 0);
    EXPECT_THAT(said_, Contains(HasSubstr("process " + std::to_string(other))));
    EXPECT_GT(totals_->paused, 0ns);
}

TEST_F(AgentTest, follows_the_cpus_that_it_may_use) {
    const auto all = soak::unreserved(base::usable_cpus(), base::Root());
    const base::CpuList one{all.front()};
    const auto cpus_of = [](const demand::Totals& totals) {
        base::CpuList cpus;
        for (const auto& cpu : totals.cpus)
            cpus.push_back(cpu.cpu);
        return cpus;
    };
    enum { all_of_them, one_of_them, all_again } state = all_of_them;
    uint64_t windows = 0;
    run([&](Agent&, const demand::Totals& totals) {
        if (!has_windows(totals, windows)) return false;
        if (state == all_of_them) {
            EXPECT_EQ(cpus_of(totals), all);
            base::use_cpus(one);
            state = one_of_them;
        } else if (cpus_of(totals) != (state == one_of_them ? one : all)) {
            return false;
        } else if (state == one_of_them) {
            base::use_cpus(all);
            state = all_again;
        } else {
            return true;
        }
        windows = totals.windows;
        return false;
    });
    base::use_cpus(all);
    EXPECT_EQ(totals_->soaker_restarts, 0u);
    EXPECT_EQ(said_.empty(), all.size() == 1);
}

TEST_F(AgentTest, starts_soakers_again_that_were_killed) {
    uint64_t windows = 0;
    run([&](Agent&, const demand::Totals& totals) {
        if (totals.soaker_restarts == 0 && has_windows(totals)) {
            for (const auto& child : children())
                kill(child, SIGKILL);
            windows = totals.windows;
        }
        return totals.soaker_restarts > 0 && has_windows(totals, windows);
    });
    EXPECT_EQ(totals_->soaker_restarts, 1u);
    EXPECT_THAT(said_, Contains(HasSubstr("killed")));
}

TEST_F(AgentTest, a_cpu_that_may_not_be_used_is_refused) {
    plan_.cpus = {1'000'000};
    EXPECT_THROW(Agent(plan_, loop_, {}), base::UsageError);
}

} // namespace
} // namespace agent
