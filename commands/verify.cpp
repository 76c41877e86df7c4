#include "commands/verify.h"

#include "commands/report_output.h"
#include "commands/terminal.h"
#include "commands/trials.h"
#include "exporters/verification.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace commands {
namespace {

using std::chrono::milliseconds;

struct Options {
    InstrumentOptions instrument;
    OutputOptions output;
    std::vector<std::string> steps; ///< empty: all
};

constexpr auto no_load = "idle", taken = "taken", wake_up = "wake-up";

/// The working set is half of the thread's share of the cache: a load that walks twice as much
/// walks all of it.
std::vector<Trial> make_trials(size_t working_set_bytes) {
    constexpr auto soaked = milliseconds(5000);
    constexpr auto free = milliseconds(2500);
    std::vector<Trial> trials{
        {no_load, {}, soaked, free},
        {"burn-5", {"--share", "5%"}, soaked, free},
        {"burn-25", {"--share", "25%"}, soaked, free},
        {"burn-60", {"--share", "60%"}, soaked, free},
        {.name = "burn-25-1ms",
         .burn = {"--share", "25%", "--period", "1ms"},
         .soaked = soaked,
         .free = free,
         .wakes_often = true},
        {.name = "burn-25-1ms-walk",
         .burn = {"--share", "25%", "--period", "1ms", "--walk",
                  std::to_string(2 * working_set_bytes)},
         .soaked = soaked,
         .free = free,
         .evicts = true,
         .wakes_often = true},
        make_gaps(free),
    };
    if (working_set_bytes == 0)
        std::erase_if(trials, [](const Trial& trial) { return trial.evicts; });
    return trials;
}

std::vector<std::string> step_names() {
    std::vector<std::string> names;
    for (const auto& trial : make_trials(1))
        names.push_back(trial.name);
    names.insert(names.end(), {taken, wake_up});
    return names;
}

/// Runs the steps that were asked for, and keeps what came of them.
class Verify {
  public:
    Verify(Session& session, base::Loop& loop, Progress& progress,
           const base::OriginalSignals& original, const std::vector<std::string>& steps)
        : trials_(session, loop, original), session_(session), loop_(loop), progress_(progress),
          steps_(steps) {}

    demand::Verification run() {
        run_loads();
        if (step(taken)) verification_.taken_ratio = trials_.measure_taken();
        if (step(wake_up)) {
            verification_.soaked_wake_up = trials_.measure_wake_up(true);
            verification_.free_wake_up = trials_.measure_wake_up(false);
        }
        progress_.clear();
        if (session_.instrument().ended())
            throw std::runtime_error("the soakers' process was killed; nothing was verified");
        verification_.complete = !loop_.stopped();
        verification_.cpu = trials_.cpu();
        verification_.yielding = soak::to_string(session_.instrument().yielding());
        verification_.warnings = session_.warnings();
        verification_.accuracies = demand::judge(verification_);
        return std::move(verification_);
    }

  private:
    void run_loads() {
        std::vector<demand::KnownLoad> loads;
        for (const auto& trial :
             make_trials(session_.instrument().plans().back().working_set_bytes))
            if (step(trial.name)) loads.push_back(trials_.run(trial));
        verification_.loads = demand::check_loads(loads);
    }

    /// Is it to be done? Says so. The idle system is the baseline of all loads.
    bool step(const std::string& name) {
        if (loop_.stopped() || !wanted(name)) return false;
        progress_.show("verifying " + name);
        return true;
    }

    bool wanted(const std::string& name) const {
        const auto named = [&](const std::string& step) {
            return std::find(steps_.begin(), steps_.end(), step) != steps_.end();
        };
        const auto is_load = [](const std::string& step) {
            return step != taken && step != wake_up;
        };
        return steps_.empty() || named(name) ||
               (name == no_load && std::any_of(steps_.begin(), steps_.end(), is_load));
    }

    Trials trials_;
    Session& session_;
    base::Loop& loop_;
    Progress& progress_;
    const std::vector<std::string>& steps_;
    demand::Verification verification_;
};

int verify(const Options& options, const base::OriginalSignals& original) {
    base::Loop loop;
    base::Signals signals(original);
    base::stop_at_signals(loop, signals);
    Progress progress(options.output.quiet);
    Session session(options.instrument, progress);
    try {
        if (!session.prepare(loop, progress)) {
            fmt::print(stderr, "cyclesoak: interrupted; nothing was verified\n");
            return 1;
        }
    } catch (const TooBusyError& error) {
        fmt::print(stderr, "cyclesoak: nothing can be verified: {}\n", error.what());
        return 3;
    }
    const auto verification = Verify(session, loop, progress, original, options.steps).run();
    const bool written = write_output(options.output, [&](std::ostream& out, Format format) {
        if (format == Format::json)
            exporters::write_verification_json(out, verification);
        else
            exporters::write_verification(out, verification, read_screen());
    });
    if (!written || !verification.complete) return 1;
    return verification.trustworthy() ? 0 : 3;
}

} // namespace

std::function<int()> add_verify(CLI::App& program, const base::OriginalSignals& original) {
    auto* command = program.add_subcommand(
        "verify", "Inject loads of known cost and print what the instrument makes of them here");
    auto options = std::make_shared<Options>();
    add_instrument_options(*command, options->instrument);
    add_output_options(*command, options->output, false);
    command->add_option("steps", options->steps, "Only these (default: all, about a minute)")
        ->check(CLI::IsMember(step_names()))
        ->option_text("STEP...");
    command->footer("Examples:\n  cyclesoak verify\n  cyclesoak verify burn-25 wake-up");
    return [options, &original] { return verify(*options, original); };
}

} // namespace commands
