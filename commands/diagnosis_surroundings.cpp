#include "commands/diagnosis_topics.h"

#include <fmt/format.h>

#include <algorithm>

namespace commands {
namespace {

using base::Finding;
using base::Severity;

Finding soakers(const Facts& facts) {
    if (facts.read_only)
        return {"soakers", Severity::note, "The soakers were not started.",
                "As asked: these findings are only what can be read."};
    if (facts.soaked.empty())
        return {"soakers", Severity::bad,
                fmt::format("The soakers could not start: {}.", facts.not_measured),
                "Nothing was measured; these findings are only what can be read."};
    const auto cpus = base::format_cpu_list(facts.soaked);
    if (!facts.not_measured.empty())
        return {"soakers", Severity::warning,
                fmt::format("The soakers started on CPUs {}, but: {}.", cpus, facts.not_measured),
                "Not everything was measured."};
    return {"soakers", Severity::good, fmt::format("The soakers ran on CPUs {}.", cpus),
            "What is said of them was measured just now."};
}

Finding calibration(const Facts& facts) {
    if (const auto* refused = facts.warning("calibration-refused"))
        return {"calibration", Severity::warning, "No calibration is kept here.", refused->text};
    if (facts.calibration.cpus.empty())
        return not_measured("calibration", "How good a calibration is here");
    const auto& worst = facts.calibration.least_sure();
    const auto what =
        fmt::format("The least sure calibration, CPU {}'s, rests on {} undisturbed windows; {} of "
                    "the CPU was busy meanwhile.",
                    worst.cpu, worst.windows, say_percent(worst.stolen_ratio));
    if (!facts.calibration.uncertain())
        return {"calibration", Severity::good, what, "Chunks are compared with a quiet machine's."};
    return {"calibration", Severity::warning, what,
            "That is few: chunks may be compared with disturbed ones, and everything soaked seems "
            "cheaper. When the machine is quieter:",
            "cyclesoak calibrate"};
}

Finding other_soaker(const Facts& facts) {
    if (const auto* unlocked = facts.warning("no-lock"))
        return {"other-soaker", Severity::note,
                "Whether another cyclesoak soaks these CPUs cannot be told.", unlocked->text + "."};
    if (!facts.other_soaker)
        return {"other-soaker", Severity::good, "No other cyclesoak soaks these CPUs.",
                "Two on one CPU would share what is left over, and both be wrong."};
    return {
        "other-soaker", Severity::bad,
        fmt::format("Process {} soaks CPU {}.", facts.other_soaker->pid, facts.other_soaker->cpu),
        "Two on one CPU would share what is left over, and both be wrong: no measurement can "
        "start here before it ends. Look who it is, or choose other CPUs with --cpus.",
        fmt::format("ps -o pid,user,args -p {}", facts.other_soaker->pid)};
}

Finding baseline(const Facts& facts) {
    const auto& observed = facts.observed;
    if (!observed.stolen_ratio) return not_measured("baseline", "What is stolen without any load");
    const auto tasks = observed.tasks_ratio.value_or(0);
    const auto what =
        fmt::format("Without a load of ours {} of the CPUs is stolen, {} by other threads.",
                    say_percent(*observed.stolen_ratio), say_percent(tasks));
    if (*observed.stolen_ratio <= 0.1)
        return {"baseline", Severity::good, what,
                "It is subtracted, and small enough for its changes not to matter much."};
    return {"baseline", *observed.stolen_ratio <= 0.3 ? Severity::note : Severity::warning, what,
            "It is subtracted, but what a load takes from others is missing from its bill, and "
            "what they do by chance widens its interval. Stop what need not run, or measure the "
            "baseline for longer.",
            tasks > 0.05 ? "top" : "cyclesoak watch -B"};
}

Finding hypervisor(const Facts& facts) {
    const auto& machine = facts.platform.virtual_machine;
    const auto name =
        fmt::format("{}{}{}", machine.vendor, machine.vendor.empty() ? "" : " ", machine.product);
    if (!machine.guest)
        return {"hypervisor", Severity::good,
                fmt::format("No hypervisor is below us{}.", name.empty() ? "" : ": " + name),
                "Only firmware can take a CPU away unseen."};
    return {"hypervisor", Severity::note,
            fmt::format("This is a virtual machine{}.", name.empty() ? "" : ": " + name),
            "Its hypervisor can take CPUs away without saying so, interrupting a running CPU can "
            "cost more than waking a halted one, and neighbours share core and caches. What that "
            "comes to now:",
            "cyclesoak watch -B"};
}

Finding steal(const Facts& facts) {
    const auto since_boot = facts.platform.steal_ratio;
    if (!since_boot)
        return {"steal", Severity::note, "The kernel tells nothing of steal.",
                "What a hypervisor takes shows only as stalls."};
    auto what = fmt::format("Steal is {} of all CPU time since boot", say_percent(*since_boot));
    if (facts.observed.steal_ratio)
        what +=
            fmt::format(", {} while this was measured", say_percent(*facts.observed.steal_ratio));
    const auto most = std::max(*since_boot, facts.observed.steal_ratio.value_or(0));
    if (most > 0.01)
        return {"steal", Severity::warning, what + ".",
                "Others on the host get CPU time that this machine wanted: figures vary with their "
                "load. Measure for longer, or on a host of your own.",
                "cyclesoak run --duration 60s -- BENCHMARK"};
    return {
        "steal", Severity::good, what + ".",
        facts.platform.virtual_machine.guest
            ? "A hypervisor need not admit to all that it takes; stalls are measured without it."
            : "There is nobody to steal."};
}

/// Where a guest can ask for its own type.
std::string ask_for_type(const std::string& vendor) {
    if (vendor.starts_with("Microsoft"))
        return "curl -s -H Metadata:true 'http://169.254.169.254/metadata/instance/compute/vmSize?"
               "api-version=2021-02-01&format=text'";
    if (vendor.starts_with("Google"))
        return "curl -s -H Metadata-Flavor:Google "
               "http://metadata.google.internal/computeMetadata/v1/instance/machine-type";
    if (vendor.starts_with("Xen"))
        return "curl -s http://169.254.169.254/latest/meta-data/instance-type";
    return "";
}

Finding burstable(const Facts& facts) {
    const auto& machine = facts.platform.virtual_machine;
    const auto found = machine.guest ? probes::is_burstable(machine.vendor, machine.product)
                                     : std::optional(false);
    if (!found)
        return {"burstable", Severity::note,
                "Nothing here tells whether this guest's CPU time is on credit.",
                "On such guests (EC2 t, Azure B, Google e2, f1 and g1) soaking uses the credit up, "
                "and then everything runs slower.",
                ask_for_type(machine.vendor)};
    if (*found)
        return {"burstable", Severity::warning,
                fmt::format("CPU time is on credit: {} {}.", machine.vendor, machine.product),
                "Soaking, all CPUs busy, uses the credit up; then everything runs slower and steal "
                "grows. Measure without soaking, or for a short time.",
                "cyclesoak run --free -- BENCHMARK"};
    return {"burstable", Severity::good, "CPU time is not on credit.",
            "Soaking costs nothing that a later measurement would miss."};
}

Finding battery(const Facts& facts) {
    const auto on_battery = facts.platform.on_battery;
    if (on_battery.value_or(false))
        return {"battery", Severity::warning, "This machine runs on its battery.",
                "The clock is held down, less so as the battery empties, and soaking empties it. "
                "Plug it in, then:",
                "cyclesoak calibrate"};
    return {"battery", Severity::good,
            on_battery ? "The battery is not in use." : "There is no battery.",
            "Power is no reason for the clock to change."};
}

} // namespace

base::Findings diagnose_surroundings(const Facts& facts) {
    return {soakers(facts),    calibration(facts), other_soaker(facts), baseline(facts),
            hypervisor(facts), steal(facts),       burstable(facts),    battery(facts)};
}

} // namespace commands
