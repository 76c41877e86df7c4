#include "base/error.h"
#include "commands/hold.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

#include <csignal>
#include <sys/wait.h>

namespace commands {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Another process that has the lock of CPU 0: locks are a process's, not a thread's.
class Other {
  public:
    enum class Does { nothing, lend, only_say_so };

    Other(const std::filesystem::path& lock, Does does) {
        auto ready = base::make_pipe();
        pid_ = fork();
        if (pid_ == 0) {
            live(lock, does, ready.write.get());
            _exit(0);
        }
        char byte = 0;
        ready.write.close();
        EXPECT_EQ(read(ready.read.get(), &byte, 1), 1);
    }
    ~Other() {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    pid_t pid() const { return pid_; }

  private:
    /// Whoever looks has the lock for a moment.
    static void lock_again(std::optional<soak::Holder>& holder, const std::filesystem::path& lock) {
        for (;;)
            try {
                holder.emplace(lock, base::CpuList{0});
                return;
            } catch (const soak::HeldError&) {
                base::sleep_until(base::monotonic_now() + 1ms);
            }
    }

    static void live(const std::filesystem::path& lock, Does does, int ready) {
        std::optional<soak::Holder> holder(std::in_place, lock, base::CpuList{0});
        base::Loop loop;
        std::optional<agent::Lender> lender;
        if (does != Does::nothing)
            lender.emplace(
                lock, loop,
                [&] {
                    if (does == Does::lend) holder.reset();
                },
                [&] { lock_again(holder, lock); });
        if (write(ready, "r", 1) == 1) loop.run_until(base::monotonic_now() + 60s);
    }

    pid_t pid_ = 0;
};

class HoldCpus : public testing::Test {
  protected:
    /// Its pid; 0: nobody has CPU 0.
    pid_t find_holder() const {
        try {
            const soak::Holder holder(lock_, {0});
            return 0;
        } catch (const soak::HeldError& held) {
            return held.holder();
        }
    }

    const RecordedRoot folder_;
    const std::filesystem::path lock_ = folder_.root().at("cyclesoak.lock");
    Progress quiet_{true};
};

TEST_F(HoldCpus, free_ones_without_asking) {
    EXPECT_FALSE(hold_cpus(lock_, {0, 1}, quiet_).loan);
    const Other other(lock_, Other::Does::nothing);
    EXPECT_FALSE(hold_cpus(lock_, {1}, quiet_).loan);
}

TEST_F(HoldCpus, the_holder_pauses_as_long_as_we_hold) {
    const Other other(lock_, Other::Does::lend);
    ASSERT_EQ(find_holder(), other.pid());
    {
        const auto hold = hold_cpus(lock_, {0, 1}, quiet_);
        EXPECT_TRUE(hold.loan);
    }
    const auto patience = base::monotonic_now() + 10s;
    while (find_holder() == 0 && base::monotonic_now() < patience)
        base::sleep_until(base::monotonic_now() + 1ms);
    EXPECT_EQ(find_holder(), other.pid()) << "it has not gone on";
}

TEST_F(HoldCpus, refused_with_the_holder_where_it_does_not_pause) {
    Progress loud{false};
    testing::internal::CaptureStderr();
    for (const auto does : {Other::Does::nothing, Other::Does::only_say_so}) {
        const Other other(lock_, does);
        try {
            hold_cpus(lock_, {1, 0}, loud);
            FAIL() << "it has a CPU that another has";
        } catch (const soak::HeldError& held) {
            EXPECT_EQ(held.cpu(), 0);
            EXPECT_EQ(held.holder(), other.pid());
        }
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(HoldCpus, a_pause_is_told) {
    const Other other(lock_, Other::Does::lend);
    Progress loud{false};
    testing::internal::CaptureStderr();
    const auto hold = hold_cpus(lock_, {0}, loud);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("process " + std::to_string(other.pid()) + ") pauses"));
}

TEST_F(HoldCpus, a_pause_is_not_told_where_it_is_to_be_quiet) {
    const Other other(lock_, Other::Does::lend);
    testing::internal::CaptureStderr();
    const auto hold = hold_cpus(lock_, {0}, quiet_);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

} // namespace
} // namespace commands
