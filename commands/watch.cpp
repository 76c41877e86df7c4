#include "commands/watch.h"

#include "base/error.h"
#include "base/units.h"
#include "commands/record.h"
#include "commands/session.h"
#include "commands/terminal.h"
#include "exporters/csv.h"
#include "exporters/watch.h"
#include "soak/replay.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fstream>
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
    std::optional<std::string> record, replay; ///< files
};

/// The windows on stdout, as they come.
class Printer {
  public:
    explicit Printer(const Options& options) : options_(options) {}

    /// The next window, or why there is none. False once nobody or nothing takes more.
    bool show(const soak::Windows& windows) {
        if (!windows.discarded.empty()) {
            fmt::print(stderr, "cyclesoak: a window was thrown away: {}\n", windows.discarded);
            return true;
        }
        print(windows);
        written_ = flush_stdout();
        return written_ && std::cout;
    }

    /// Did all that was to be written get where it should?
    bool written() const { return written_; }

  private:
    void print(const soak::Windows& windows) {
        if (options_.format == Format::json)
            return exporters::write_watch_json(std::cout, windows.cpus, windows.elapsed);
        if (options_.format == Format::csv) {
            if (number_ == 0) exporters::write_csv_header(std::cout);
            return exporters::write_watch_csv(std::cout, windows.cpus, number_++);
        }
        if (options_.by_cpu)
            exporters::write_watch_causes(std::cout, windows.cpus);
        else
            exporters::write_watch_line(std::cout, windows.cpus);
    }

    const Options& options_;
    int number_ = 0;
    bool written_ = true;
};

/// Windows, one after the other, until the loop is stopped.
void print_windows(soak::Instrument& instrument, base::Loop& loop, const Options& options,
                   Nanoseconds period, Record& record, Printer& printer) {
    const int wanted = options.once ? 1 : options.count;
    record.begin(instrument);
    instrument.soak();
    auto edge = base::monotonic_now() + std::chrono::milliseconds(20); // while caches settle
    record.run_until(loop, edge);
    auto last = instrument.snapshot();
    record.mark(last, false);
    for (int shown = 0; (wanted == 0 || shown < wanted) && record.run_until(loop, edge += period);
         ++shown) {
        auto next = instrument.snapshot();
        auto windows = instrument.window(last, next);
        last = std::move(next);
        if (windows.discarded == "soakers-ended")
            throw std::runtime_error("the soakers' process was killed");
        const bool overrun = base::monotonic_now() - edge > period / 2;
        record.mark(last, overrun);
        if (overrun && windows.discarded.empty()) windows.discarded = "overrun";
        if (!windows.discarded.empty()) edge = base::monotonic_now();
        if (!printer.show(windows)) break;
    }
}

/// The windows of a recording, printed as they were when it was made.
int replay(const Options& options) {
    std::ifstream file(*options.replay, std::ios::binary);
    if (!file) throw base::system_error(fmt::format("--replay: open {}", *options.replay));
    soak::RecordingReader reader(file, *options.replay);
    soak::Replay replayed(reader);
    Printer printer(options);
    while (const auto windows = replayed.next())
        if (!printer.show(*windows)) break;
    return printer.written() && replayed.incomplete() == 0 ? 0 : 1;
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
    Record record(options.record);
    if (options.cpu_number > 0)
        progress.print("cyclesoak: -N is not needed: CPUs are counted here");
    Session session(options.instrument, progress, record.wanted());
    const bool ready =
        options.calibrate ? session.calibrate(loop, progress) : session.prepare(loop, progress);
    for (const auto& warning : session.warnings())
        progress.print("cyclesoak: " + warning.text);
    if (!ready) return 1;
    Printer printer(options);
    print_windows(session.instrument(), loop, options, period, record, printer);
    const bool recorded = record.end();
    return recorded && printer.written() ? 0 : 1;
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

/// A replay knows all of this from its file.
void add_recording_options(CLI::App& command, Options& options) {
    command.add_option("--record", options.record,
                       "Also write all that is needed to compute the windows again to this file");
    auto* replay = command.add_option("--replay", options.replay,
                                      "Show the windows of a recording instead of live ones");
    for (const char* live : {"--record", "--period", "--count", "-C", "-1", "-N", "--cpus",
                             "--working-set", "--yield"})
        replay->excludes(live);
}

} // namespace

std::function<int()> add_watch(CLI::App& program, const base::OriginalSignals& original) {
    auto options = std::make_shared<Options>();
    auto* command = program.add_subcommand(
        "watch", "Show the load live, a line a window (also without any command)");
    add_options(*command, *options, "Options");
    add_instrument_options(*command, options->instrument);
    add_recording_options(*command, *options);
    add_format_option(*command, options->format);
    command->add_flag("--quiet", options->quiet, "No progress on stderr");
    command->footer("Example:\n  cyclesoak watch -p 1 -B");
    add_options(program, *options, "");
    return [options, &original] {
        return options->replay ? replay(*options) : watch(*options, original);
    };
}

} // namespace commands
