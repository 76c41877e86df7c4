#include "base/error.h"
#include "soak/yielding.h"
#include "tests/recorded_root.h"
#include "tests/soak/fake_systemd.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

namespace soak {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* v1_mounts =
    "24 30 0:22 / /proc rw,relatime shared:14 - proc proc rw\n"
    "32 31 0:29 / /sys/fs/cgroup/cpuset rw,relatime shared:9 - cgroup cgroup rw,cpuset\n"
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:10 - cgroup cgroup rw,cpu,cpuacct\n"
    "34 31 0:31 / /sys/fs/cgroup/unified rw,relatime shared:11 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* v2_mounts =
    "35 25 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

constexpr pid_t owner = 4711, soakers = 4712;

/// A machine with a v1 `cpu` hierarchy. Where `ready`, the group that will be made is there with
/// its control files, which only a kernel would make.
struct Machine : RecordedRoot {
    explicit Machine(bool ready = true) {
        write("proc/self/mountinfo", v1_mounts);
        write("sys/fs/cgroup/cpu,cpuacct/tasks", "");
        write(fmt::format("proc/{}/cgroup", soakers), "5:cpuset:/\n4:cpu,cpuacct:/\n0::/\n");
        write(fmt::format("proc/{}/autogroup", soakers), "/autogroup-9 nice 0\n");
        write("proc/sys/kernel/sched_autogroup_enabled", "1\n");
        if (!ready) return;
        write(group() + "/cpu.idle", "0\n");
        write(group() + "/cgroup.procs", "");
    }
    static std::string group() {
        return fmt::format("sys/fs/cgroup/cpu,cpuacct/cyclesoak-{}", owner);
    }
    std::string text(const std::string& name) const {
        return root().read(name).value_or("(absent)");
    }
    bool has_group() const { return std::filesystem::exists(root().at(group())); }
};

std::vector<std::string> ids(const base::Warnings& warnings) {
    std::vector<std::string> all;
    for (const auto& warning : warnings)
        all.push_back(warning.id);
    return all;
}

TEST(Yield, texts) {
    for (const char* text : {"auto", "cgroup", "slice", "autogroup", "none"})
        EXPECT_EQ(to_string(parse_yield(text)), text);
    for (const char* text : {"", "Auto", "idle"}) {
        try {
            parse_yield(text);
            ADD_FAILURE() << text;
        } catch (const base::UsageError& error) {
            EXPECT_THAT(error.what(), HasSubstr("--yield"));
            EXPECT_THAT(error.what(), HasSubstr("autogroup"));
        }
    }
}

// Where groups can be made

std::optional<std::string> hierarchy(const RecordedRoot& machine) {
    const auto found = find_cpu_hierarchy(machine.root());
    if (!found) return std::nullopt;
    return "/" + found->lexically_relative(machine.root().at("")).string();
}

TEST(CpuHierarchy, is_the_v1_mount_of_the_cpu_controller) {
    EXPECT_EQ(hierarchy(Machine()), "/sys/fs/cgroup/cpu,cpuacct");
}

TEST(CpuHierarchy, is_the_v2_root_if_that_hands_out_cpu) {
    const RecordedRoot machine;
    machine.write("proc/self/mountinfo", v2_mounts);
    machine.write("sys/fs/cgroup/cgroup.subtree_control", "cpuset cpu io memory\n");
    EXPECT_EQ(hierarchy(machine), "/sys/fs/cgroup");
    machine.write("sys/fs/cgroup/cgroup.subtree_control", "cpuset io memory\n");
    EXPECT_EQ(hierarchy(machine), std::nullopt);
    machine.remove("sys/fs/cgroup/cgroup.subtree_control");
    EXPECT_EQ(hierarchy(machine), std::nullopt);
}

TEST(CpuHierarchy, v1_goes_first) {
    const Machine machine;
    machine.write("proc/self/mountinfo", v2_mounts + std::string(v1_mounts));
    machine.write("sys/fs/cgroup/cgroup.subtree_control", "cpu\n");
    EXPECT_EQ(hierarchy(machine), "/sys/fs/cgroup/cpu,cpuacct");
}

TEST(CpuHierarchy, cpuset_and_cpuacct_are_not_cpu) {
    const RecordedRoot machine;
    machine.write("proc/self/mountinfo",
                  "32 31 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
                  "33 31 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n");
    EXPECT_EQ(hierarchy(machine), std::nullopt);
}

TEST(CpuHierarchy, may_be_missing) {
    const RecordedRoot machine;
    EXPECT_EQ(hierarchy(machine), std::nullopt);
    machine.write("proc/self/mountinfo", "24 30 0:22 / /proc rw\nnonsense\n\n - cgroup cgroup\n");
    EXPECT_EQ(hierarchy(machine), std::nullopt);
}

// What others left behind

pid_t dead_pid() {
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    waitpid(pid, nullptr, 0);
    return pid;
}

TEST(DeadGroups, only_those_of_dead_owners_are_removed) {
    const RecordedRoot machine;
    const auto dead = fmt::format("cyclesoak-{}", dead_pid());
    const auto alive = fmt::format("cyclesoak-{}", getpid());
    const std::vector<std::string> others = {"cyclesoak-",  "cyclesoak-0", "cyclesoak--1",
                                             "cyclesoak-x", "user.slice",  dead + "x",
                                             "my-" + dead};
    for (const auto& name : others)
        machine.write(name + "/tasks", "");
    for (const auto& name : others)
        machine.remove(name + "/tasks");
    for (const auto& name : {dead, alive, std::string("cyclesoak-1")})
        std::filesystem::create_directory(machine.root().at(name));
    remove_dead_groups(machine.root().at(""));
    const auto left = machine.root().list("");
    EXPECT_THAT(left, testing::Not(testing::Contains(dead)));
    EXPECT_THAT(left, testing::Contains(alive));
    EXPECT_THAT(left, testing::Contains("cyclesoak-1"));
    EXPECT_THAT(left, testing::IsSupersetOf(others));
}

TEST(DeadGroups, a_group_that_is_in_use_stays) {
    const RecordedRoot machine;
    const auto used = fmt::format("cyclesoak-{}", dead_pid());
    machine.write(used + "/something", "");
    remove_dead_groups(machine.root().at(""));
    EXPECT_THAT(machine.root().list(""), ElementsAre(used));
}

TEST(DeadGroups, an_absent_hierarchy_has_none) {
    EXPECT_NO_THROW(remove_dead_groups("/nonexistent"));
}

// The group

TEST(IdleGroup, is_idle_and_holds_the_process) {
    const Machine machine;
    std::string why;
    const auto group = IdleGroup::make(machine.root(), owner, soakers, why);
    ASSERT_TRUE(group) << why;
    EXPECT_EQ(group->path(), machine.root().at(Machine::group()));
    EXPECT_EQ(machine.text(Machine::group() + "/cpu.idle").substr(0, 1), "1");
    EXPECT_EQ(machine.text(Machine::group() + "/cgroup.procs"), "4712");
}

TEST(IdleGroup, is_gone_afterwards) {
    const Machine machine;
    std::string why;
    auto group = IdleGroup::make(machine.root(), owner, soakers, why);
    ASSERT_TRUE(group) << why;
    // What is left of a kernel's control files when a group is removed: nothing.
    machine.remove(Machine::group() + "/cpu.idle");
    machine.remove(Machine::group() + "/cgroup.procs");
    auto moved = std::move(group);
    group.reset();
    EXPECT_TRUE(machine.has_group());
    moved.reset();
    EXPECT_FALSE(machine.has_group());
}

TEST(IdleGroup, clears_up_behind_dead_ones) {
    const Machine machine;
    const auto dead = fmt::format("sys/fs/cgroup/cpu,cpuacct/cyclesoak-{}", dead_pid());
    std::filesystem::create_directory(machine.root().at(dead));
    std::string why;
    EXPECT_TRUE(IdleGroup::make(machine.root(), owner, soakers, why));
    EXPECT_FALSE(std::filesystem::exists(machine.root().at(dead)));
}

TEST(IdleGroup, without_idle_groups_says_why_and_leaves_nothing) {
    const Machine machine(false); // a kernel without cpu.idle
    std::string why;
    EXPECT_FALSE(IdleGroup::make(machine.root(), owner, soakers, why));
    EXPECT_THAT(why, HasSubstr("cpu.idle"));
    EXPECT_FALSE(machine.has_group());
}

TEST(IdleGroup, says_why_the_process_cannot_be_moved) {
    const Machine machine;
    machine.remove(Machine::group() + "/cgroup.procs");
    std::string why;
    EXPECT_FALSE(IdleGroup::make(machine.root(), owner, soakers, why));
    EXPECT_THAT(why, HasSubstr("cgroup.procs"));
}

TEST(IdleGroup, says_why_it_cannot_be_made) {
    const RecordedRoot machine;
    std::string why;
    EXPECT_FALSE(IdleGroup::make(machine.root(), owner, soakers, why));
    EXPECT_THAT(why, HasSubstr("no cgroup hierarchy"));
    machine.write("proc/self/mountinfo", v1_mounts); // but the mount point is not there
    EXPECT_FALSE(IdleGroup::make(machine.root(), owner, soakers, why));
    EXPECT_THAT(why, HasSubstr("mkdir"));
}

// The best that works

TEST(Yielding, automatic_is_a_group_where_one_can_be_made) {
    const Machine machine;
    const auto yielding = make_yielding(machine.root(), Yield::automatic, owner, soakers);
    EXPECT_EQ(yielding.method, Yield::cgroup);
    EXPECT_TRUE(yielding.group);
    EXPECT_THAT(yielding.warnings, IsEmpty());
    EXPECT_EQ(machine.text(Machine::group() + "/cgroup.procs"), "4712");
    EXPECT_THAT(machine.text("proc/4712/autogroup"), HasSubstr("nice 0"));
}

TEST(Yielding, automatic_falls_back_to_the_autogroup_and_warns) {
    const Machine machine(false);
    const auto yielding = make_yielding(machine.root(), Yield::automatic, owner, soakers);
    EXPECT_EQ(yielding.method, Yield::autogroup);
    EXPECT_FALSE(yielding.group);
    EXPECT_THAT(ids(yielding.warnings), ElementsAre("no-cgroup"));
    EXPECT_THAT(yielding.warnings[0].text, HasSubstr("cpu.idle")); // the reason
    EXPECT_THAT(machine.text("proc/4712/autogroup"), testing::StartsWith("19"));
}

TEST(Yielding, a_process_that_cannot_be_moved_gets_the_autogroup) {
    const Machine machine;
    machine.remove(Machine::group() + "/cgroup.procs");
    EXPECT_EQ(make_yielding(machine.root(), Yield::automatic, owner, soakers).method,
              Yield::autogroup);
}

/// Machines on which autogroups do nothing.
std::vector<std::unique_ptr<Machine>> machines_without_autogroups() {
    std::vector<std::unique_ptr<Machine>> machines;
    const auto add = [&]() -> Machine& {
        return *machines.emplace_back(std::make_unique<Machine>(false));
    };
    add().write("proc/sys/kernel/sched_autogroup_enabled", "0\n");
    add().remove("proc/sys/kernel/sched_autogroup_enabled");
    add().remove("proc/4712/autogroup");
    // The kernel forms autogroups only of what is in the top CPU group.
    add().write("proc/4712/cgroup", "5:cpuset:/\n4:cpu,cpuacct:/user.slice\n0::/\n");
    return machines;
}

TEST(Yielding, automatic_without_either_is_none_and_warns_of_both) {
    for (const auto& machine : machines_without_autogroups()) {
        const auto yielding = make_yielding(machine->root(), Yield::automatic, owner, soakers);
        EXPECT_EQ(yielding.method, Yield::none);
        EXPECT_THAT(ids(yielding.warnings), ElementsAre("no-cgroup", "not-yielding"));
    }
}

TEST(Yielding, none_touches_nothing_and_warns) {
    const Machine machine;
    const auto yielding = make_yielding(machine.root(), Yield::none, owner, soakers);
    EXPECT_EQ(yielding.method, Yield::none);
    EXPECT_FALSE(yielding.group);
    EXPECT_THAT(ids(yielding.warnings), ElementsAre("not-yielding"));
    EXPECT_THAT(machine.text("proc/4712/autogroup"), HasSubstr("nice 0"));
    EXPECT_THAT(machine.text(Machine::group() + "/cgroup.procs"), IsEmpty());
}

TEST(Yielding, autogroup_alone_makes_no_group) {
    const Machine machine;
    const auto yielding = make_yielding(machine.root(), Yield::autogroup, owner, soakers);
    EXPECT_EQ(yielding.method, Yield::autogroup);
    EXPECT_THAT(yielding.warnings, IsEmpty());
    EXPECT_THAT(machine.text(Machine::group() + "/cgroup.procs"), IsEmpty());
    EXPECT_THAT(machine.text("proc/4712/autogroup"), testing::StartsWith("19"));
}

/// What make_yielding says when it throws.
std::string refusal(const Machine& machine, Yield method) {
    try {
        make_yielding(machine.root(), method, owner, soakers);
        return "(none)";
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

TEST(Yielding, an_explicit_method_that_does_not_work_says_why) {
    EXPECT_THAT(refusal(Machine(false), Yield::cgroup),
                testing::AllOf(HasSubstr("--yield cgroup"), HasSubstr("cpu.idle")));
    for (const auto& machine : machines_without_autogroups())
        EXPECT_THAT(refusal(*machine, Yield::autogroup), HasSubstr("--yield autogroup"));
    EXPECT_FALSE(Machine(false).has_group());
}

// Where systemd owns the hierarchy

FakeSystemd::Script putting(const SystemdMachine& machine, const char* cpu_idle) {
    return [&machine, cpu_idle](const auto& asked) {
        machine.put(soakers, "/cyclesoak.slice/" + asked.unit, cpu_idle);
        return FakeSystemd::Answer{.job = "done"};
    };
}

TEST(Yielding, automatic_is_a_slice_where_systemd_owns_the_hierarchy) {
    const SystemdMachine machine;
    FakeSystemd fake(putting(machine, "1\n"));
    const auto yielding =
        make_yielding(machine.root(), Yield::automatic, owner, soakers, fake.systemd());
    EXPECT_EQ(yielding.method, Yield::slice);
    EXPECT_FALSE(yielding.group);
    EXPECT_THAT(yielding.warnings, IsEmpty());
}

TEST(Yielding, automatic_warns_of_a_slice_that_is_not_in_force) {
    const SystemdMachine machine;
    machine.write("proc/4712/autogroup", "/autogroup-9 nice 0\n");
    FakeSystemd fake(putting(machine, "0\n"));
    const auto yielding =
        make_yielding(machine.root(), Yield::automatic, owner, soakers, fake.systemd());
    // In the slice no autogroup counts.
    EXPECT_EQ(yielding.method, Yield::none);
    EXPECT_THAT(ids(yielding.warnings), ElementsAre("no-cgroup", "not-yielding"));
    EXPECT_THAT(yielding.warnings[0].text, HasSubstr("cpu.idle"));
}

TEST(Yielding, a_refused_slice_is_a_reason_for_automatic_and_an_error_else) {
    const SystemdMachine machine;
    const Systemd refusing{.open = [](sd_bus**) { return -EACCES; }};
    machine.write("proc/4712/cgroup", "0::/user.slice\n");
    const auto yielding = make_yielding(machine.root(), Yield::automatic, owner, soakers, refusing);
    EXPECT_EQ(yielding.method, Yield::none);
    EXPECT_THAT(yielding.warnings[0].text, HasSubstr("Permission denied"));
    try {
        make_yielding(machine.root(), Yield::slice, owner, soakers, refusing);
        ADD_FAILURE();
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("--yield slice: "));
        EXPECT_THAT(error.what(), HasSubstr("Permission denied"));
    }
}

TEST(Yielding, automatic_has_systemd_switch_no_controller_on) {
    const SystemdMachine machine("memory pids");
    machine.write("proc/4712/cgroup", "0::/user.slice\n");
    machine.write("proc/4712/autogroup", "/autogroup-9 nice 0\n");
    const Systemd untouched{.open = [](sd_bus**) -> int {
        ADD_FAILURE() << "was asked";
        return -EPERM;
    }};
    EXPECT_EQ(make_yielding(machine.root(), Yield::automatic, owner, soakers, untouched).method,
              Yield::autogroup);
    FakeSystemd fake(putting(machine, "1\n"));
    EXPECT_EQ(make_yielding(machine.root(), Yield::slice, owner, soakers, fake.systemd()).method,
              Yield::slice);
}

TEST(Yielding, automatic_keeps_to_v1_where_systemd_runs_on_it) {
    const Machine machine;
    machine.write("run/systemd/system/a.unit", "");
    EXPECT_EQ(make_yielding(machine.root(), Yield::automatic, owner, soakers).method,
              Yield::cgroup);
}

} // namespace
} // namespace soak
