#include "tests/commands/good_machine.h"

#include <functional>

namespace commands {
namespace {

/// A change for the worse, and what is found then.
struct Row {
    std::string id;
    Severity severity;
    std::string said; ///< in what, effect or advice
    std::function<void(Facts&)> change;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.id << ": " << row.said; }

class Changed : public testing::TestWithParam<Row> {};

TEST_P(Changed, IsFound) {
    auto facts = good();
    GetParam().change(facts);
    const auto findings = diagnose(facts);
    expect_every_topic_once(findings);
    expect_readable(findings);
    const auto finding = find(facts, GetParam().id);
    EXPECT_EQ(finding.severity, GetParam().severity) << finding.what;
    EXPECT_THAT(finding.what + "\n" + finding.effect + "\n" + finding.advice,
                HasSubstr(GetParam().said));
}

const base::Warning no_cgroup{"no-cgroup", "no group (mkdir: Permission denied)."};

void yields_by(Facts& facts, soak::Yield method) {
    facts.yielding = method;
    facts.warnings = {no_cgroup};
}

INSTANTIATE_TEST_SUITE_P(
    Scheduling, Changed,
    testing::Values(
        Row{"yielding", Severity::note, "Permission denied",
            [](Facts& f) { yields_by(f, soak::Yield::autogroup); }},
        Row{"yielding", Severity::note, "sudo cyclesoak doctor",
            [](Facts& f) { yields_by(f, soak::Yield::autogroup); }},
        Row{"yielding", Severity::bad, "a third of a CPU",
            [](Facts& f) { yields_by(f, soak::Yield::none); }},
        Row{"yielding", Severity::bad, "cgroup.subtree_control",
            [](Facts& f) {
                yields_by(f, soak::Yield::none);
                f.root = true;
                f.platform.cpu_hierarchy.reset();
            }},
        Row{"taken", Severity::warning, "3.0 %", [](Facts& f) { f.observed.taken_ratio = 0.03; }},
        Row{"taken", Severity::bad, "33.0 %", [](Facts& f) { f.observed.taken_ratio = 0.33; }},
        Row{"wake-up", Severity::bad, "3100 µs",
            [](Facts& f) {
                f.observed.soaked_wake_up = demand::WakeUp{microseconds(8), microseconds(3100)};
            }},
        Row{"wake-up", Severity::warning, "run --free",
            [](Facts& f) {
                f.observed.soaked_wake_up = demand::WakeUp{microseconds(300), microseconds(310)};
            }},
        Row{"wake-up", Severity::good, "3100 µs), on a free one",
            [](Facts& f) {
                f.observed.soaked_wake_up = demand::WakeUp{microseconds(8), microseconds(3100)};
                f.observed.free_wake_up = demand::WakeUp{microseconds(8), microseconds(3000)};
            }},
        Row{"cpu-quota", Severity::warning, "echo max | sudo tee /sys/fs/cgroup/load/cpu.max",
            [](Facts& f) { f.platform.groups[0].quota_cpus = 1.5; }},
        Row{"cpu-quota", Severity::warning, "/sys/fs/cgroup may use 0.50 CPUs",
            [](Facts& f) {
                f.platform.groups[0].quota_cpus = 1.5;
                f.platform.groups[1].quota_cpus = 0.5;
            }},
        Row{"cpu-quota", Severity::warning, "echo -1 | sudo tee /sys/fs/cgroup/load/cpu.cfs_quota",
            [](Facts& f) {
                f.platform.groups[0].quota_cpus = 1.5;
                f.platform.cpu_hierarchy = 1;
            }},
        Row{"cpu-quota", Severity::note, "2.00 CPUs",
            [](Facts& f) { f.platform.groups[0].quota_cpus = 2; }},
        Row{"cpu-weight", Severity::bad, "echo 0 | sudo tee /sys/fs/cgroup/load/cpu.idle",
            [](Facts& f) { f.platform.groups[0].idle = true; }},
        Row{"cpu-weight", Severity::note, "echo 100 | sudo tee /sys/fs/cgroup/load/cpu.weight",
            [](Facts& f) { f.platform.groups[0].weight_ratio = 0.2; }},
        Row{"cpu-weight", Severity::note, "echo 1024 | sudo tee /sys/fs/cgroup/load/cpu.shares",
            [](Facts& f) {
                f.platform.groups[0].weight_ratio = 0.2;
                f.platform.cpu_hierarchy = 1;
            }},
        Row{"cpu-weight", Severity::good, "usual weight or more",
            [](Facts& f) { f.platform.groups[0].weight_ratio = 3; }},
        Row{"autogroup", Severity::good, "do not need them",
            [](Facts& f) { f.platform.autogroup = false; }},
        Row{"autogroup", Severity::warning, "echo 1 | sudo tee",
            [](Facts& f) {
                f.platform.autogroup = false;
                f.yielding = soak::Yield::none;
            }},
        Row{"autogroup", Severity::note, "top of the CPU groups",
            [](Facts& f) { f.yielding = soak::Yield::none; }},
        Row{"kernel", Severity::note, "one in a hundred 40.0 µs",
            [](Facts& f) {
                f.platform.kernel = probes::KernelRelease{6, 8};
            }},
        Row{"kernel", Severity::warning, "NO_RUN_TO_PARITY",
            [](Facts& f) {
                f.platform.kernel = probes::KernelRelease{6, 14};
                f.observed = {};
            }},
        Row{"kernel", Severity::good, "No trouble",
            [](Facts& f) {
                f.platform.kernel = probes::KernelRelease{6, 15};
            }},
        Row{"kernel", Severity::good, "No trouble",
            [](Facts& f) {
                f.platform.kernel = probes::KernelRelease{6, 5};
            }},
        Row{"kernel", Severity::note, "no idle CPU groups",
            [](Facts& f) {
                f.platform.kernel = probes::KernelRelease{5, 14};
            }},
        Row{"preemption", Severity::note, "HZ is 250",
            [](Facts& f) { f.settings["preemption"] = "lazy"; }},
        Row{"preemption", Severity::warning, "echo full | sudo tee",
            [](Facts& f) {
                f.settings["preemption"] = "lazy";
                f.observed = {};
            }},
        Row{"preemption", Severity::note, "mode is lazy",
            [](Facts& f) {
                f.settings["preemption"] = "PREEMPT_DYNAMIC";
                f.settings["boot.preempt"] = "lazy";
            }},
        Row{"preemption", Severity::note, "sudo cat /sys/kernel/debug/sched/preempt",
            [](Facts& f) {
                f.settings["preemption"] = "PREEMPT_DYNAMIC";
                f.observed = {};
            }},
        Row{"preemption", Severity::good, "not to be seen",
            [](Facts& f) { f.settings["preemption"] = "PREEMPT_DYNAMIC"; }},
        Row{"preemption", Severity::good, "not lazy",
            [](Facts& f) {
                f.settings["preemption"] = "PREEMPT_DYNAMIC";
                f.platform.kernel = probes::KernelRelease{6, 1};
            }},
        Row{"preemption", Severity::good, "mode is rt",
            [](Facts& f) { f.settings["preemption"] = "PREEMPT_RT"; }}));

INSTANTIATE_TEST_SUITE_P(
    Clocks, Changed,
    testing::Values(
        Row{"clock", Severity::warning, "echo tsc | sudo tee",
            [](Facts& f) { f.settings["clock_source"] = "hpet"; }},
        Row{"clock", Severity::good, "kvm-clock",
            [](Facts& f) { f.settings["clock_source"] = "kvm-clock"; }},
        Row{"counter", Severity::good, "2.6 GHz", [](Facts&) {}},
        Row{"counter", Severity::warning, "clock_gettime",
            [](Facts& f) { f.timebase = soak::Timebase::system(); }},
        Row{"counter", Severity::warning, "+invtsc",
            [](Facts& f) {
                f.timebase = soak::Timebase::system();
                f.platform.virtual_machine.guest = true;
            }},
        Row{"time-accounting", Severity::note, "1.5 %",
            [](Facts& f) { f.observed.clock_stopped_ratio = 0.015; }},
        Row{"tick", Severity::warning, "nohz=off",
            [](Facts& f) { f.settings["boot.nohz"] = "off"; }},
        Row{"tick", Severity::warning, "HZ is 250",
            [](Facts& f) { f.platform.tick_stops = false; }},
        Row{"tick", Severity::note, "timer_list", [](Facts& f) { f.platform.tick_stops.reset(); }},
        Row{"idle-time", Severity::warning, "8.0 %",
            [](Facts& f) { f.observed.idle_time_error_ratio = 0.08; }},
        Row{"idle-time", Severity::bad, "--continuous",
            [](Facts& f) { f.observed.idle_time_error_ratio = -0.5; }},
        Row{"lxcfs", Severity::bad, "umount", [](Facts& f) { f.platform.lxcfs = true; }}));

INSTANTIATE_TEST_SUITE_P(
    Cpus, Changed,
    testing::Values(
        Row{"cpus", Severity::note, "CPUs 0-1, not 2-3",
            [](Facts& f) {
                f.platform.online = {0, 1, 2, 3};
            }},
        Row{"cpus", Severity::good, "not reserved",
            [](Facts& f) {
                f.platform.online = {0, 1, 2, 3};
                f.reserved = {2, 3};
            }},
        Row{"isolated-cpus", Severity::note, "--cpus 2-3",
            [](Facts& f) {
                f.reserved = {2, 3};
            }},
        Row{"smt", Severity::note, "2 of 2 CPUs share",
            [](Facts& f) {
                for (auto& place : f.places)
                    place.siblings = {0, 1};
            }},
        Row{"smt", Severity::note, "somebody else's",
            [](Facts& f) { f.platform.virtual_machine.guest = true; }},
        Row{"hybrid", Severity::warning, "taskset -c 0-3",
            [](Facts& f) {
                f.platform.core_kinds = {{"cpu_core", {0, 1, 2, 3}}, {"cpu_atom", {4, 5}}};
            }},
        Row{"caches", Severity::warning, "L3 508 MiB",
            [](Facts& f) { f.places[1].cache_share_bytes[3] = 508 << 20; }},
        Row{"caches", Severity::warning, "L2 16 MiB",
            [](Facts& f) { f.places[0].cache_share_bytes[2] = 16 << 20; }},
        Row{"caches", Severity::good, "L3 64 MiB",
            [](Facts& f) { f.places[0].cache_share_bytes[3] = 64 << 20; }},
        Row{"caches", Severity::note, "the size of L2 is unknown",
            [](Facts& f) { f.working_set_notes = {"the size of L2 is unknown"}; }},
        Row{"caches", Severity::note, "not known",
            [](Facts& f) { f.places[0].cache_share_bytes.clear(); }},
        Row{"idle-states", Severity::note, "C10 of intel_idle, 230 µs",
            [](Facts& f) {
                f.platform.idle.states.push_back({"C10", microseconds(230)});
            }},
        Row{"idle-states", Severity::good, "C1 of intel_idle",
            [](Facts& f) {
                f.platform.idle.states.push_back({"C10", microseconds(230), false});
            }},
        Row{"idle-states", Severity::good, "processor.max_cstate=1",
            [](Facts& f) { f.settings["boot.processor.max_cstate"] = "1"; }},
        Row{"idle-states", Severity::note, "idle=poll",
            [](Facts& f) { f.settings["boot.idle"] = "poll"; }},
        Row{"idle-states", Severity::note, "haltpoll, for up to 200 µs",
            [](Facts& f) { f.platform.idle.guest_poll = microseconds(200); }},
        Row{"idle-states", Severity::note, "only idle state is POLL",
            [](Facts& f) { f.platform.idle.states.resize(1); }},
        Row{"idle-states", Severity::note, "halts",
            [](Facts& f) { f.platform.idle.driver = "haltpoll"; }},
        Row{"idle-states", Severity::note, "halts", [](Facts& f) { f.platform.idle = {}; }},
        Row{"frequency", Severity::warning, "cpupower frequency-set",
            [](Facts& f) { f.settings["governor"] = "schedutil"; }},
        Row{"frequency", Severity::note, "boost is on",
            [](Facts& f) { f.settings["boost"] = "1"; }},
        Row{"frequency", Severity::note, "not ours to set",
            [](Facts& f) { f.settings.erase("governor"); }}));

INSTANTIATE_TEST_SUITE_P(
    Surroundings, Changed,
    testing::Values(
        Row{"soakers", Severity::bad, "could not start: no CPU",
            [](Facts& f) {
                f.soaked.clear();
                f.not_measured = "no CPU";
            }},
        Row{"soakers", Severity::note, "As asked",
            [](Facts& f) {
                f.soaked.clear();
                f.read_only = true;
            }},
        Row{"soakers", Severity::warning, "it was interrupted",
            [](Facts& f) { f.not_measured = "it was interrupted"; }},
        Row{"calibration", Severity::warning, "CPU 1's, rests on 2 undisturbed windows; 90.0 %",
            [](Facts& f) {
                f.calibration.cpus[1] = {.cpu = 1, .stolen_ratio = 0.9, .windows = 2};
            }},
        Row{"calibration", Severity::warning, "Remove it",
            [](Facts& f) {
                f.warnings = {{"calibration-refused", "Damaged. Remove it."}};
            }},
        Row{"calibration", Severity::good, "38 undisturbed windows", [](Facts&) {}},
        Row{"other-soaker", Severity::bad, "ps -o pid,user,args -p 4711",
            [](Facts& f) {
                f.other_soaker = OtherSoaker{1, 4711};
            }},
        Row{"other-soaker", Severity::note, "read-only",
            [](Facts& f) {
                f.warnings = {{"no-lock", "no lock (read-only)"}};
            }},
        Row{"baseline", Severity::note, "20.0 %", [](Facts& f) { f.observed.stolen_ratio = 0.2; }},
        Row{"baseline", Severity::warning, "widens",
            [](Facts& f) { f.observed.stolen_ratio = 0.6; }},
        Row{"hypervisor", Severity::note, "QEMU Standard PC",
            [](Facts& f) {
                f.platform.virtual_machine = {true, "QEMU", "Standard PC"};
            }},
        Row{"steal", Severity::warning, "2.0 % of all CPU time since boot",
            [](Facts& f) { f.platform.steal_ratio = 0.02; }},
        Row{"steal", Severity::warning, "5.0 % while this was measured",
            [](Facts& f) { f.observed.steal_ratio = 0.05; }},
        Row{"burstable", Severity::warning, "t3.micro",
            [](Facts& f) {
                f.platform.virtual_machine = {true, "Amazon EC2", "t3.micro"};
            }},
        Row{"burstable", Severity::good, "not on credit",
            [](Facts& f) {
                f.platform.virtual_machine = {true, "Amazon EC2", "c7i.large"};
            }},
        Row{"burstable", Severity::note, "vmSize",
            [](Facts& f) {
                f.platform.virtual_machine = {true, "Microsoft Corporation", "Virtual Machine"};
            }},
        Row{"burstable", Severity::note, "machine-type",
            [](Facts& f) {
                f.platform.virtual_machine = {true, "Google", "Google Compute Engine"};
            }},
        Row{"battery", Severity::warning, "runs on its battery",
            [](Facts& f) { f.platform.on_battery = true; }},
        Row{"battery", Severity::good, "not in use",
            [](Facts& f) { f.platform.on_battery = false; }}));

} // namespace
} // namespace commands
