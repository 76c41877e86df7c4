#include "base/error.h"
#include "soak/instrument.h"
#include "tests/soak/usual.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace soak {
namespace {

using namespace std::chrono_literals;

/// A small working set, so that nothing takes long.
Instrument::Options small() { return {.working_set = WorkingSetChoice::parse("l1")}; }

/// For tests that are not about calibration.
Calibration made_up(const Instrument& instrument) {
    Calibration calibration{.ticks_per_ns = instrument.timebase().ticks_per_ns()};
    for (const int cpu : instrument.cpus())
        calibration.cpus.push_back(usual::calibration(cpu));
    return calibration;
}

void pause(Nanoseconds time = 20ms) { base::sleep_until(base::monotonic_now() + time); }

/// Waits, however busy the machine is.
template <typename Condition>
bool eventually(Condition&& condition) {
    const auto deadline = base::monotonic_now() + 60s;
    while (!condition() && base::monotonic_now() < deadline)
        pause(1ms);
    return condition();
}

/// The clocks may be read so far apart on a busy machine that a window is discarded; not always.
Windows soaked_window(Instrument& instrument) {
    Windows windows;
    for (int tries = 0; tries < 20; ++tries) {
        instrument.soak();
        const auto earlier = instrument.snapshot();
        pause();
        instrument.park();
        windows = instrument.window(earlier, instrument.snapshot());
        EXPECT_TRUE(eventually([&] { return instrument.settled(); }));
        if (windows.discarded != "clock") break;
    }
    return windows;
}

void expect_adds_up(const CpuWindow& window) {
    const auto& causes = window.causes;
    EXPECT_EQ(causes.tasks + causes.interrupts + causes.hypervisor.value_or(0ns) + causes.core +
                  causes.cache + causes.unexplained,
              window.stolen);
    EXPECT_EQ(window.soaked + window.own + window.stolen, window.elapsed);
    EXPECT_GT(window.elapsed, 0ns);
}

std::vector<int> cpus_of(const Windows& windows) {
    std::vector<int> cpus;
    for (const auto& window : windows.cpus)
        cpus.push_back(window.cpu);
    return cpus;
}

TEST(Instrument, soaks_all_cpus_it_may_use_unless_told) {
    const auto allowed = unreserved(Topology().cpus(), base::Root());
    const Instrument all(small());
    EXPECT_EQ(all.cpus(), allowed);
    EXPECT_EQ(all.plans().size(), allowed.size());
    auto options = small();
    options.cpus = {allowed.back()};
    const Instrument last(options);
    EXPECT_EQ(last.cpus(), options.cpus);
    EXPECT_EQ(last.plans().at(0).cpu, allowed.back());
}

TEST(Instrument, refuses_a_cpu_that_it_may_not_use) {
    auto options = small();
    options.cpus = {Topology().cpus().front(), 1'000'000};
    try {
        Instrument instrument(options);
        FAIL() << "soaks CPU 1000000";
    } catch (const base::UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("--cpus"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("1000000"), std::string::npos);
    }
}

TEST(Instrument, windows_add_up_on_every_cpu) {
    Instrument instrument(small());
    instrument.use(made_up(instrument));
    const auto windows = soaked_window(instrument);
    ASSERT_EQ(windows.discarded, "");
    EXPECT_EQ(cpus_of(windows), instrument.cpus());
    for (const auto& window : windows.cpus)
        expect_adds_up(window);
}

TEST(Instrument, windows_while_it_goes_on_soaking_add_up_to_the_whole) {
    Instrument instrument(small());
    instrument.use(made_up(instrument));
    instrument.soak();
    std::vector<Snapshot> snapshots = {instrument.snapshot()};
    for (int i = 0; i < 5; ++i) {
        pause();
        snapshots.push_back(instrument.snapshot());
    }
    const auto whole = instrument.window(snapshots.front(), snapshots.back());
    if (whole.discarded == "clock") return; // a very busy machine
    std::vector<Nanoseconds> elapsed(whole.cpus.size());
    for (size_t i = 1; i < snapshots.size(); ++i) {
        const auto part = instrument.window(snapshots[i - 1], snapshots[i]);
        if (part.discarded == "clock") return;
        ASSERT_EQ(part.cpus.size(), whole.cpus.size());
        for (size_t cpu = 0; cpu < part.cpus.size(); ++cpu) {
            expect_adds_up(part.cpus[cpu]);
            elapsed[cpu] += part.cpus[cpu].elapsed;
        }
    }
    for (size_t cpu = 0; cpu < whole.cpus.size(); ++cpu)
        EXPECT_LE(std::chrono::abs(elapsed[cpu] - whole.cpus[cpu].elapsed), 5ns); // rounding
}

TEST(Instrument, calibrates_or_says_that_it_cannot) {
    Instrument instrument(small());
    base::Loop loop;
    const auto calibration = instrument.calibrate(loop);
    if (!calibration) return; // the soakers hardly ever ran
    EXPECT_TRUE(eventually([&] { return instrument.settled(); }));
    EXPECT_EQ(calibration->cpu_list(), instrument.cpus());
    EXPECT_EQ(calibration->counter, instrument.timebase().counter());
    for (const auto& cpu : calibration->cpus) {
        for (const double mean : cpu.mean)
            EXPECT_GT(mean, 0);
        EXPECT_GT(cpu.limits.walk_threshold(), 0);
        EXPECT_GE(cpu.stolen_ratio, 0);
        EXPECT_LE(cpu.stolen_ratio, 1);
    }
    // And it is in force.
    const auto windows = soaked_window(instrument);
    EXPECT_EQ(cpus_of(windows), instrument.cpus());
    for (const auto& window : windows.cpus)
        expect_adds_up(window);
}

TEST(Instrument, calibration_can_be_stopped) {
    Instrument instrument(small());
    base::Loop loop;
    loop.stop();
    EXPECT_FALSE(instrument.calibrate(loop));
}

// One soaker alone

TEST(Instrument, one_soaker_has_a_calibration_and_windows_of_its_own) {
    Instrument instrument(small());
    base::Loop loop;
    instrument.use(made_up(instrument));
    const size_t at = instrument.cpus().size() - 1;
    const auto calibration = instrument.calibrate_alone(loop, at);
    ASSERT_TRUE(calibration);
    EXPECT_EQ(calibration->cpu, instrument.cpus()[at]);
    EXPECT_EQ(instrument.calibration().cpus.size(), instrument.cpus().size());
    EXPECT_EQ(instrument.calibration().find(calibration->cpu)->mean, calibration->mean);

    Windows windows;
    Ticks length = 0;
    for (int tries = 0; tries < 20 && windows.cpus.empty(); ++tries) {
        instrument.soak(at);
        const auto earlier = instrument.snapshot(at);
        instrument.park(at, 20ms);
        pause(30ms);
        const auto later = instrument.snapshot(at);
        length = later.cpus.front().tally.until - earlier.cpus.front().tally.until;
        windows = instrument.window(earlier, later, at);
    }
    ASSERT_EQ(cpus_of(windows), std::vector{calibration->cpu});
    expect_adds_up(windows.cpus.front());
    // The edge came by itself: nobody parked the soaker after 20 ms.
    EXPECT_LT(length, instrument.timebase().ticks(29ms));
    EXPECT_EQ(instrument.snapshot(0).cpus.size(), 1u);
}

TEST(Instrument, the_others_sleep_while_one_soaks) {
    auto options = small();
    Instrument instrument(options);
    if (instrument.cpus().size() < 2) return; // none others
    instrument.soak(0);
    ASSERT_TRUE(
        eventually([&] { return instrument.snapshot(0).cpus.front().tally.chunks_done() > 0; }));
    EXPECT_EQ(instrument.snapshot(1).cpus.front().tally.chunks_done(), 0);
    instrument.park(0);
    EXPECT_TRUE(eventually([&] { return instrument.settled(); }));
}

TEST(Instrument, counts_stalls_while_it_soaks) {
    Instrument instrument(small());
    instrument.use(made_up(instrument));
    instrument.soak(0);
    EXPECT_TRUE(eventually([&] { return instrument.stalls(0).sum > 0ns; }));
}

TEST(Instrument, cpus_without_a_calibration_have_no_window) {
    Instrument instrument(small());
    const auto windows = soaked_window(instrument);
    EXPECT_EQ(windows.discarded, "");
    EXPECT_TRUE(windows.cpus.empty());
}

// The process

TEST(Instrument, soakers_are_alone_in_their_session) {
    const Instrument instrument(small());
    EXPECT_EQ(getsid(instrument.pid()), instrument.pid());
    EXPECT_NE(getsid(0), instrument.pid());
}

TEST(Instrument, soakers_are_of_lowest_priority_on_their_cpus) {
    Instrument instrument(small());
    const auto tasks = "proc/" + std::to_string(instrument.pid()) + "/task";
    const base::Root root;
    ASSERT_TRUE(eventually([&] { return root.list(tasks).size() > instrument.cpus().size(); }));
    instrument.soak();
    ASSERT_TRUE(eventually([&] { return instrument.settled(); }));
    int idle = 0;
    for (const auto& name : root.list(tasks)) {
        const auto thread = static_cast<pid_t>(std::stoi(name));
        cpu_set_t cpus;
        if (sched_getscheduler(thread) != SCHED_IDLE ||
            sched_getaffinity(thread, sizeof cpus, &cpus) != 0)
            continue;
        EXPECT_EQ(CPU_COUNT(&cpus), 1);
        EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(thread)), 19);
        ++idle;
    }
    EXPECT_EQ(static_cast<size_t>(idle), instrument.cpus().size());
}

TEST(Instrument, notices_that_the_soakers_were_killed) {
    Instrument instrument(small());
    instrument.use(made_up(instrument));
    instrument.soak();
    const auto earlier = instrument.snapshot();
    EXPECT_FALSE(instrument.ended());
    kill(instrument.pid(), SIGKILL);
    EXPECT_TRUE(eventually([&] { return instrument.ended(); }));
    const auto windows = instrument.window(earlier, instrument.snapshot());
    EXPECT_EQ(windows.discarded, "soakers-ended");
    EXPECT_TRUE(windows.cpus.empty());
    base::Loop loop;
    EXPECT_FALSE(instrument.calibrate(loop));
}

/// Of the soakers that process `owner` started; empty where there are no groups.
std::filesystem::path group_of(pid_t owner) {
    const auto hierarchy = find_cpu_hierarchy(base::Root());
    return hierarchy ? *hierarchy / ("cyclesoak-" + std::to_string(owner)) : "";
}

bool is_running(pid_t pid) {
    const auto stat = base::Root().read("/proc/" + std::to_string(pid) + "/stat");
    return stat && stat->find(") Z ") == stat->npos;
}

TEST(Instrument, leaves_neither_process_nor_group_behind) {
    const auto group = group_of(getpid());
    pid_t pid = 0;
    {
        Instrument instrument(small());
        pid = instrument.pid();
        EXPECT_EQ(kill(pid, 0), 0);
        EXPECT_EQ(std::filesystem::exists(group), instrument.yielding() == Yield::cgroup);
        instrument.soak();
    }
    EXPECT_EQ(kill(pid, 0), -1);
    EXPECT_EQ(errno, ESRCH);
    EXPECT_FALSE(std::filesystem::exists(group));
}

TEST(Instrument, soakers_die_with_a_killed_parent) {
    const auto pipe = base::make_pipe();
    const pid_t parent = fork();
    ASSERT_GE(parent, 0);
    if (parent == 0) {
        Instrument instrument(small());
        instrument.soak();
        const pid_t pid = instrument.pid();
        if (write(pipe.write.get(), &pid, sizeof pid) != sizeof pid) _exit(1);
        for (;;)
            pause();
    }
    pid_t soakers = 0;
    ASSERT_EQ(read(pipe.read.get(), &soakers, sizeof soakers), sizeof soakers);
    kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
    // Whoever inherits orphans here may never wait for them: a zombie is dead enough.
    EXPECT_TRUE(eventually([&] { return !is_running(soakers); }));
    // The next start clears up.
    const auto hierarchy = find_cpu_hierarchy(base::Root());
    if (!hierarchy) return;
    EXPECT_TRUE(eventually([&] {
        remove_dead_groups(*hierarchy);
        return !std::filesystem::exists(group_of(parent));
    }));
}

} // namespace
} // namespace soak
