#include "soak/systemd_slice.h"
#include "tests/soak/fake_systemd.h"

#include <gmock/gmock.h>

namespace soak {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr pid_t owner = 4711, soakers = 4712;
constexpr const char* scope = "cyclesoak-4711.scope";
constexpr const char* in_scope = "/cyclesoak.slice/cyclesoak-4711.scope";

/// Does everything, as systemd 252 on a kernel with cpu.idle.
FakeSystemd::Script obliging(const SystemdMachine& machine) {
    return [&machine](const auto&) {
        machine.put(soakers, in_scope, "1\n");
        return FakeSystemd::Answer{.job = "done"};
    };
}

/// Why it does not work; empty: it does.
std::string reason(const SystemdMachine& machine, const Systemd& systemd) {
    std::string why;
    const bool entered = enter_idle_slice(machine.root(), owner, soakers, why, systemd);
    EXPECT_EQ(entered, why.empty());
    return why;
}

std::string reason(const SystemdMachine& machine, FakeSystemd::Script script) {
    FakeSystemd fake(std::move(script));
    return reason(machine, fake.systemd());
}

FakeSystemd::Script refusing(const char* error, const char* text) {
    return [=](const auto&) { return FakeSystemd::Answer{.error = error, .text = text}; };
}

TEST(IdleSlice, IsAskedForWithAScopeForTheProcess) {
    const SystemdMachine machine;
    FakeSystemd fake(obliging(machine));
    EXPECT_EQ(reason(machine, fake.systemd()), "");
    ASSERT_EQ(fake.finish().size(), 1U);
    const auto& asked = fake.finish().front();
    EXPECT_EQ(asked.unit, scope);
    EXPECT_EQ(asked.properties.at("PIDs"), "au 4712");
    EXPECT_EQ(asked.properties.at("Slice"), "s cyclesoak.slice");
    EXPECT_EQ(asked.properties.at("CollectMode"), "s inactive-or-failed");
    EXPECT_THAT(asked.others,
                ElementsAre(Pair("cyclesoak.slice",
                                 UnorderedElementsAre(Pair("CPUWeight", "t 0"),
                                                      Pair("StopWhenUnneeded", "b 1")))));
}

TEST(IdleSlice, MayBeThereAlready) {
    const SystemdMachine machine;
    const auto oblige = obliging(machine);
    FakeSystemd fake([&](const auto& asked) {
        if (asked.others.empty()) return oblige(asked);
        return FakeSystemd::Answer{.error = "org.freedesktop.systemd1.UnitExists", .text = "is"};
    });
    EXPECT_EQ(reason(machine, fake.systemd()), "");
    ASSERT_EQ(fake.finish().size(), 2U);
    EXPECT_EQ(fake.finish().back().unit, scope);
    EXPECT_THAT(fake.finish().back().others, IsEmpty());
}

TEST(IdleSlice, ScopeThatIsThereIsNotAskedForAgainAndAgain) {
    FakeSystemd fake(refusing("org.freedesktop.systemd1.UnitExists", "it is there"));
    EXPECT_THAT(reason(SystemdMachine(), fake.systemd()), HasSubstr("it is there"));
    EXPECT_EQ(fake.finish().size(), 2U);
}

TEST(IdleSlice, RefusalIsTheReason) {
    const auto why =
        reason(SystemdMachine(), refusing(SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED,
                                          "Interactive authentication required."));
    EXPECT_THAT(why, HasSubstr("Interactive authentication required."));
    EXPECT_THAT(why, Not(HasSubstr("252")));
}

TEST(IdleSlice, OldSystemdIsToldTheVersionThatIsNeeded) {
    for (const auto* error : {SD_BUS_ERROR_INVALID_ARGS, SD_BUS_ERROR_PROPERTY_READ_ONLY})
        EXPECT_THAT(reason(SystemdMachine(), refusing(error, "CPUWeight is out of range")),
                    AllOf(HasSubstr("CPUWeight is out of range"), HasSubstr("252")));
}

TEST(IdleSlice, SilenceHasAnEnd) {
    FakeSystemd fake([](const auto&) { return FakeSystemd::Answer{}; });
    EXPECT_THAT(reason(SystemdMachine(), fake.systemd(std::chrono::milliseconds(20))),
                HasSubstr("does not answer"));
}

TEST(IdleSlice, JobThatFailsIsTheReason) {
    const SystemdMachine machine;
    const auto why = reason(machine, [&](const auto&) {
        machine.put(soakers, in_scope, "1\n"); // as it may be, it counts that the job failed
        return FakeSystemd::Answer{.job = "timeout"};
    });
    EXPECT_THAT(why, AllOf(HasSubstr(scope), HasSubstr("timeout")));
}

TEST(IdleSlice, NoConnectionIsTheReason) {
    const Systemd absent{.open = [](sd_bus**) { return -ENOENT; }};
    EXPECT_THAT(reason(SystemdMachine(), absent), HasSubstr("No such file"));
    EXPECT_THAT(
        reason(SystemdMachine(), [](const auto&) { return FakeSystemd::Answer{.hangs_up = true}; }),
        HasSubstr("onnection"));
}

TEST(IdleSlice, IsLookedAtAfterwards) {
    struct Seen {
        const char *group, *cpu_idle, *why;
    };
    for (const auto& seen :
         {Seen{in_scope, "0\n", "cpu.idle is 0"}, Seen{in_scope, "", "cpu.idle is"},
          Seen{"/user.slice/session-1.scope", "1\n", "session-1.scope"}, Seen{"/", "1\n", "/"}}) {
        const SystemdMachine machine;
        const auto why = reason(machine, [&](const auto&) {
            machine.put(soakers, seen.group, seen.cpu_idle);
            return FakeSystemd::Answer{.job = "done"};
        });
        EXPECT_THAT(why, HasSubstr(seen.why));
    }
}

TEST(IdleSlice, NobodyIsAskedWhereSystemdHasNoV2Hierarchy) {
    const Systemd untouched{.open = [](sd_bus**) -> int {
        ADD_FAILURE() << "was asked";
        return -EPERM;
    }};
    const SystemdMachine without_systemd;
    without_systemd.remove("run/systemd");
    EXPECT_THAT(reason(without_systemd, untouched), HasSubstr("does not run here"));
    const SystemdMachine v1;
    v1.write("proc/self/mountinfo", "33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
    EXPECT_THAT(reason(v1, untouched), HasSubstr("v2"));
}

} // namespace
} // namespace soak
