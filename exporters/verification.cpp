#include "exporters/verification.h"

#include "exporters/json.h"
#include "exporters/json_archive.h"
#include "exporters/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace exporters {
namespace {

using demand::Accuracy;
using demand::LoadCheck;
using demand::Verification;

std::string percent(std::optional<double> ratio) { return ratio ? format_percent(*ratio) : "-"; }

std::string signed_percent(double ratio) {
    const std::string text = fmt::format("{:+.1f}", ratio * 100);
    return text == "-0.0" ? "+0.0" : text;
}

std::string error(std::optional<double> reported, std::optional<double> truth) {
    return reported && truth ? signed_percent(*reported - *truth) : "-";
}

void write_loads(Screen& screen, const Verification& verification) {
    screen.heading(fmt::format("Loads of known cost on cpu{}, % of the CPU, net of the idle system",
                               verification.cpu));
    std::vector<Screen::Row> rows{
        {"", {"true", "tasks", "error", "stolen", "error", "true", "idle time", "error"}, {}}};
    for (const LoadCheck& load : verification.loads)
        rows.push_back({load.name,
                        {percent(load.true_ratio), percent(load.tasks_ratio),
                         error(load.tasks_ratio, load.true_ratio), percent(load.stolen_ratio),
                         error(load.stolen_ratio, load.true_ratio),
                         percent(load.idle_time_true_ratio), percent(load.idle_time_ratio),
                         error(load.idle_time_ratio, load.idle_time_true_ratio)},
                        {}});
    screen.rows(std::move(rows), 6);
}

void write_causes(Screen& screen, const Verification& verification) {
    screen.heading("The other causes of the same loads");
    std::vector<Screen::Row> rows{
        {"", {"interrupts", "core", "cache", "unexplained", "baseline", "disturbed"}, {}}};
    for (const LoadCheck& load : verification.loads)
        if (load.true_ratio)
            rows.push_back({load.name,
                            {percent(load.interrupts_ratio), percent(load.core_ratio),
                             percent(load.cache_ratio), percent(load.unexplained_ratio),
                             percent(load.baseline_ratio), percent(load.disturbed_ratio)},
                            {}});
    screen.rows(std::move(rows), 6);
    if (std::any_of(verification.loads.begin(), verification.loads.end(),
                    [](const LoadCheck& load) { return load.disturbed_ratio > 0; }))
        screen.text("disturbed: for so long somebody else had part of the core, a sibling thread "
                    "or a neighbour of this virtual machine. That is left out here; in a "
                    "measurement it widens the intervals.");
}

std::string microseconds(base::Nanoseconds time) {
    return format_number(base::to_seconds(time) * 1e6, 2);
}

void write_yielding(Screen& screen, const Verification& verification) {
    screen.heading(fmt::format("Yielding by {}", verification.yielding));
    std::vector<Screen::Row> rows;
    if (verification.taken_ratio)
        rows.push_back({"taken from a busy thread",
                        {fmt::format("{:.2f} %", 100 * *verification.taken_ratio)},
                        {}});
    const auto wake_up = [&](const char* label, const std::optional<demand::WakeUp>& late) {
        if (late)
            rows.push_back(
                {label, {microseconds(late->p50) + " us", microseconds(late->p99) + " us"}, {}});
    };
    wake_up("late wake-up, soaked", verification.soaked_wake_up);
    wake_up("late wake-up, free", verification.free_wake_up);
    screen.rows(std::move(rows));
}

/// What a wrong figure spoils.
std::string_view spoils(std::string_view figure) {
    if (figure == "tasks" || figure == "stolen") return "the soaked demand";
    if (figure == "idle time") return "the idle-time demand";
    if (figure == "taken") return "that soaking leaves the load alone";
    return "the split into causes";
}

void write_accuracies(Screen& screen, const Verification& verification) {
    screen.heading("How far figures can be trusted here, points of a CPU");
    std::vector<Screen::Row> rows{{"", {"worst error", "allowed"}, {}}};
    for (const Accuracy& accuracy : verification.accuracies) {
        rows.push_back(
            {accuracy.figure,
             {fmt::format("{:+.2f}", 100 * accuracy.error),
              fmt::format("{:.2f}", 100 * accuracy.limit)},
             fmt::format("with {}{}", accuracy.load, accuracy.kept() ? "" : ": too far")});
    }
    screen.rows(std::move(rows));
}

void write_verdict(Screen& screen, const Verification& verification) {
    if (!verification.complete)
        return screen.text("Interrupted: what is above is all that was verified.");
    if (verification.trustworthy())
        return screen.text("All within what is allowed: figures measured on this machine as it is "
                           "now can be trusted that far.");
    std::set<std::string_view> spoilt;
    for (const Accuracy& accuracy : verification.accuracies)
        if (!accuracy.kept()) spoilt.insert(spoils(accuracy.figure));
    screen.text(fmt::format("This machine is too noisy as it is now. Not to be trusted: {}. Verify "
                            "again when it is calmer; cyclesoak doctor says what disturbs.",
                            fmt::join(spoilt, ", ")));
}

} // namespace

void write_verification(std::ostream& out, const Verification& verification,
                        const ScreenOptions& options) {
    Screen screen(out, options);
    write_loads(screen, verification);
    write_causes(screen, verification);
    write_yielding(screen, verification);
    write_accuracies(screen, verification);
    out << '\n';
    write_verdict(screen, verification);
    if (!verification.warnings.empty()) screen.heading("Warnings");
    for (const auto& warning : verification.warnings)
        screen.warning(warning);
}

static void describe(auto& archive, const LoadCheck& load) {
    archive("name", load.name);
    archive("true_ratio", load.true_ratio);
    archive("tasks_ratio", load.tasks_ratio);
    archive("stolen_ratio", load.stolen_ratio);
    archive("baseline_ratio", load.baseline_ratio);
    archive("interrupts_ratio", load.interrupts_ratio);
    archive("hypervisor_ratio", load.hypervisor_ratio);
    archive("core_ratio", load.core_ratio);
    archive("cache_ratio", load.cache_ratio);
    archive("unexplained_ratio", load.unexplained_ratio);
    archive("idle_time_true_ratio", load.idle_time_true_ratio);
    archive("idle_time_ratio", load.idle_time_ratio);
    archive("disturbed_ratio", load.disturbed_ratio);
}

static void describe(auto& archive, const demand::WakeUp& late) {
    archive("p50", late.p50);
    archive("p99", late.p99);
}

static void describe(auto& archive, const Accuracy& accuracy) {
    archive("figure", accuracy.figure);
    archive("load", accuracy.load);
    archive("error_ratio", accuracy.error);
    archive("limit_ratio", accuracy.limit);
    archive("kept", accuracy.kept());
}

void write_verification_json(std::ostream& out, const Verification& verification) {
    Json json = make_json_head();
    JsonWriter writer;
    writer("cpu", verification.cpu);
    writer("loads", verification.loads);
    writer("taken_ratio", verification.taken_ratio);
    writer("wakeup_seconds", verification.soaked_wake_up);
    writer("free_wakeup_seconds", verification.free_wake_up);
    writer("accuracy", verification.accuracies);
    writer("trustworthy", verification.trustworthy());
    writer("complete", verification.complete);
    writer("yielding", verification.yielding);
    writer("warnings", verification.warnings);
    json.update(writer.take());
    out << json.dump(2) << '\n';
}

} // namespace exporters
