#include "commands/doctor.h"

#include "base/error.h"
#include "commands/diagnosis.h"
#include "commands/report_output.h"
#include "commands/terminal.h"
#include "commands/trials.h"
#include "exporters/findings.h"
#include "probes/cpu_times.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <unistd.h>

namespace commands {
namespace {

using base::Nanoseconds;

constexpr auto observed_window = std::chrono::milliseconds(1000);

struct Options {
    InstrumentOptions instrument;
    OutputOptions output;
    bool read_only = false;
};

/// Everything that can be read, before anything runs.
Facts read_facts(const Options& options) {
    const base::Root root;
    const soak::Topology topology;
    Facts facts;
    facts.settings = probes::read_settings(root);
    facts.platform = probes::read_platform(root, getpid());
    facts.cpus = topology.cpus();
    const auto& online = facts.platform.online;
    const auto unreserved = soak::unreserved(online, root);
    std::set_difference(online.begin(), online.end(), unreserved.begin(), unreserved.end(),
                        std::back_inserter(facts.reserved));
    const auto choice = soak::WorkingSetChoice::parse(options.instrument.working_set);
    for (const int cpu : facts.cpus) {
        facts.places.push_back(topology.place(cpu));
        auto note = soak::working_set_size(facts.places.back(), choice).note;
        if (!note.empty()) facts.working_set_notes.push_back(std::move(note));
    }
    facts.timebase = soak::Timebase::measure();
    facts.root = geteuid() == 0;
    facts.read_only = options.read_only;
    return facts;
}

double ratio(Nanoseconds part, Nanoseconds whole) {
    return whole.count() > 0 ? base::to_seconds(part) / base::to_seconds(whole) : 0;
}

Nanoseconds read_steal(const base::CpuList& cpus) {
    const auto text = base::Root().read("proc/stat").value_or("");
    Nanoseconds steal{};
    for (const auto& [cpu, times] : probes::parse_stat(text, sysconf(_SC_CLK_TCK)))
        if (std::binary_search(cpus.begin(), cpus.end(), cpu)) steal += times.steal;
    return steal;
}

/// A window without a load.
void observe(soak::Instrument& instrument, base::Loop& loop, Observed& observed) {
    instrument.soak();
    loop.run_until(base::monotonic_now() + std::chrono::milliseconds(20)); // while caches settle
    const auto first = instrument.snapshot();
    const auto steal = read_steal(instrument.cpus());
    const bool whole = loop.run_until(base::monotonic_now() + observed_window);
    const auto windows = instrument.window(first, instrument.snapshot());
    const auto stolen_by_hypervisor = read_steal(instrument.cpus()) - steal;
    instrument.park();
    if (windows.discarded == "soakers-ended")
        throw std::runtime_error("the soakers' process was killed");
    if (!whole || windows.cpus.empty()) return;
    Nanoseconds elapsed{}, stolen{}, tasks{}, clock_stopped{};
    for (const auto& window : windows.cpus) {
        elapsed += window.elapsed;
        stolen += window.stolen;
        tasks += window.causes.tasks;
        clock_stopped += window.clock_stopped;
    }
    observed.stolen_ratio = ratio(stolen, elapsed);
    observed.tasks_ratio = ratio(tasks, elapsed);
    observed.clock_stopped_ratio = ratio(clock_stopped, elapsed);
    observed.steal_ratio = ratio(stolen_by_hypervisor, elapsed);
}

/// Reported minus true idle time of a load that idles for 20 us at a time, net of the idle system.
std::optional<double> measure_idle_time_error(Trials& trials) {
    const auto nothing = trials.run({.name = "idle", .free = std::chrono::seconds(1)});
    const auto gaps = trials.run(make_gaps(std::chrono::milliseconds(1500)));
    const auto check = demand::check_loads({nothing, gaps}).back();
    if (!check.idle_time_ratio || !check.idle_time_true_ratio) return std::nullopt;
    return *check.idle_time_true_ratio - *check.idle_time_ratio;
}

/// All that needs soakers: about 10 s.
class Experiments {
  public:
    Experiments(Session& session, base::Loop& loop, Progress& progress,
                const base::OriginalSignals& original, Observed& observed)
        : session_(session), loop_(loop), progress_(progress), trials_(session, loop, original),
          observed_(observed) {}

    void run() {
        if (step("the CPUs without a load")) observe(session_.instrument(), loop_, observed_);
        if (step("how late a sleeper wakes")) {
            observed_.soaked_wake_up = trials_.measure_wake_up(true);
            observed_.free_wake_up = trials_.measure_wake_up(false);
        }
        if (step("what is taken from a busy thread"))
            observed_.taken_ratio = trials_.measure_taken();
        if (step("how exact idle time is"))
            observed_.idle_time_error_ratio = measure_idle_time_error(trials_);
        progress_.clear();
        if (session_.instrument().ended())
            throw std::runtime_error("the soakers' process was killed");
    }

  private:
    bool step(const std::string& what) {
        progress_.show("measuring " + what);
        return !loop_.stopped();
    }

    Session& session_;
    base::Loop& loop_;
    Progress& progress_;
    Trials trials_;
    Observed& observed_;
};

void measure(Session& session, base::Loop& loop, Progress& progress,
             const base::OriginalSignals& original, Facts& facts) {
    facts.soaked = session.instrument().cpus();
    facts.yielding = session.instrument().yielding();
    const bool ready = session.prepare(loop, progress);
    facts.warnings = session.warnings();
    if (ready) {
        facts.calibration = session.instrument().calibration();
        Experiments(session, loop, progress, original, facts.observed).run();
    }
    if (loop.stopped()) facts.not_measured = "it was interrupted";
}

/// Whatever keeps the soakers from starting is a finding, except a mistake of the user's.
void try_to_measure(const Options& options, base::Loop& loop, Progress& progress,
                    const base::OriginalSignals& original, Facts& facts) {
    if (options.read_only) return;
    if (options.instrument.cpus.empty() && soak::unreserved(facts.cpus, base::Root()).empty()) {
        facts.not_measured = "all CPUs are isolated or nohz_full; name some with --cpus";
        return;
    }
    try {
        Session session(options.instrument, progress);
        measure(session, loop, progress, original, facts);
    } catch (const base::UsageError&) {
        throw;
    } catch (const soak::HeldError& error) {
        facts.other_soaker = OtherSoaker{error.cpu(), error.holder()};
        facts.not_measured = error.what();
    } catch (const std::runtime_error& error) {
        facts.not_measured = error.what();
    }
}

int examine(const Options& options, const base::OriginalSignals& original) {
    base::Loop loop;
    base::Signals signals(original);
    loop.watch(signals.fd(), [&] {
        signals.take();
        loop.stop();
    });
    Progress progress(options.output.quiet);
    auto facts = read_facts(options);
    try_to_measure(options, loop, progress, original, facts);
    const auto findings = diagnose(facts);
    const bool written = write_output(options.output, [&](std::ostream& out, Format format) {
        if (format == Format::json)
            exporters::write_findings_json(out, findings, name_measured(facts.observed));
        else
            exporters::write_findings(out, findings, read_screen());
    });
    return written ? 0 : 1;
}

} // namespace

std::function<int()> add_doctor(CLI::App& program, const base::OriginalSignals& original) {
    auto* command = program.add_subcommand(
        "doctor", "What on this machine helps or spoils a measurement, and what to do");
    auto options = std::make_shared<Options>();
    add_instrument_options(*command, options->instrument);
    add_output_options(*command, options->output, false);
    command->add_flag("--read-only", options->read_only,
                      "Start neither soakers nor loads, only read (default: measure, about 12 s)");
    command->footer("Examples:\n  cyclesoak doctor\n  cyclesoak doctor --read-only --format json");
    return [options, &original] { return examine(*options, original); };
}

} // namespace commands
