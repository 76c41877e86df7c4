#include "commands/watch.h"

#include "base/error.h"
#include "base/units.h"
#include "commands/session.h"
#include "commands/terminal.h"
#include "exporters/csv.h"
#include "exporters/watch.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <iostream>
#include <memory>

namespace commands {
namespace {

using base::Nanoseconds;

struct Options {
    InstrumentOptions instrument;
    Format format = Format::table;
    std::string period = "1s";
    int count = 0; ///< 0: until Ctrl-C
    bool by_cpu = false, calibrate = false, once = false, quiet = false;
    int cpu_number = 0; ///< the ancestor's -N; CPUs are counted by the machine now
};

void print(const std::vector<soak::CpuWindow>& windows, const Options& options, int number) {
    switch (options.format) {
    case Format::json:
        return exporters::write_watch_json(std::cout, windows);
    case Format::csv:
        if (number == 0) exporters::write_csv_header(std::cout);
        return exporters::write_watch_csv(std::cout, windows, number);
    case Format::table:
        break;
    }
    if (options.by_cpu)
        exporters::write_watch_causes(std::cout, windows);
    else
        exporters::write_watch_line(std::cout, windows);
}

/// Windows, one after the other, until the loop is stopped.
int print_windows(Session& session, base::Loop& loop, const Options& options, Nanoseconds period) {
    auto& instrument = session.instrument();
    const int wanted = options.once ? 1 : options.count;
    instrument.soak();
    auto edge = base::monotonic_now() + std::chrono::milliseconds(20); // while caches settle
    loop.run_until(edge);
    auto last = instrument.snapshot();
    for (int shown = 0; (wanted == 0 || shown < wanted) && loop.run_until(edge += period);
         ++shown) {
        auto next = instrument.snapshot();
        const auto windows = instrument.window(last, next);
        last = std::move(next);
        if (windows.discarded == "soakers-ended")
            throw std::runtime_error("the soakers' process was killed");
        if (!windows.discarded.empty() || base::monotonic_now() - edge > period / 2) {
            fmt::print(stderr, "cyclesoak: a window was thrown away: {}\n",
                       windows.discarded.empty() ? "overrun" : windows.discarded);
            edge = base::monotonic_now();
            continue;
        }
        print(windows.cpus, options, shown);
        if (const bool written = flush_stdout(); !std::cout) return written ? 0 : 1;
    }
    return 0;
}

int watch(const Options& options, const base::OriginalSignals& original) {
    const auto period = base::parse_duration(options.period);
    if (period < std::chrono::milliseconds(10))
        throw base::UsageError(
            fmt::format("--period: '{}' is too short; 10ms at least", options.period));
    base::Loop loop;
    base::Signals signals(original);
    base::stop_at_signals(loop, signals);
    Progress progress(options.quiet);
    if (options.cpu_number > 0)
        progress.print("cyclesoak: -N is not needed: CPUs are counted here");
    Session session(options.instrument);
    const bool ready =
        options.calibrate ? session.calibrate(loop, progress) : session.prepare(loop, progress);
    for (const auto& warning : session.warnings())
        progress.print("cyclesoak: " + warning.text);
    return ready ? print_windows(session, loop, options, period) : 1;
}

void add_options(CLI::App& command, Options& options, const std::string& group) {
    command.add_option("-p,--period", options.period, "Length of a window")->group(group);
    command.add_option("-n,--count", options.count, "Stop after so many windows")
        ->check(CLI::NonNegativeNumber)
        ->group(group);
    command.add_flag("-B,--by-cpu", options.by_cpu, "A line for each CPU, with the causes")
        ->group(group);
    // The ancestor's, for fingers that know them.
    command.add_flag("-C", options.calibrate, "Calibrate first")->group("");
    command.add_flag("-1", options.once, "One window")->group("");
    command.add_option("-N", options.cpu_number, "")->group("");
}

} // namespace

std::function<int()> add_watch(CLI::App& program, const base::OriginalSignals& original) {
    auto options = std::make_shared<Options>();
    auto* command = program.add_subcommand(
        "watch", "Show the load live, a line a window (also without any command)");
    add_options(*command, *options, "Options");
    add_instrument_options(*command, options->instrument);
    add_format_option(*command, options->format);
    command->add_flag("--quiet", options->quiet, "No progress on stderr");
    command->footer("Example:\n  cyclesoak watch -p 1 -B");
    add_options(program, *options, "");
    return [options, &original] { return watch(*options, original); };
}

} // namespace commands
