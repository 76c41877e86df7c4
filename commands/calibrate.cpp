#include "commands/calibrate.h"

#include "commands/session.h"
#include "commands/terminal.h"
#include "soak/calibration_store.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace commands {
namespace {

struct Options {
    InstrumentOptions instrument;
    bool quiet = false;
};

void print(const soak::Calibration& calibration) {
    const double per_ns = calibration.ticks_per_ns;
    const auto ns = [&](double ticks) { return ticks / per_ns; };
    using soak::ChunkKind;
    using soak::index;
    fmt::print("{:>4} {:>10} {:>9} {:>9} {:>11} {:>10} {:>9} {:>9}\n", "CPU", "walk", "spread",
               "cold", "per line", "chain", "block", "stolen");
    fmt::print("{:>4} {:>10} {:>9} {:>9} {:>11} {:>10} {:>9} {:>9}\n", "", "ns", "ns", "ns", "ns",
               "ns", "ns", "%");
    for (const auto& cpu : calibration.cpus)
        fmt::print("{:>4} {:>10.1f} {:>9.1f} {:>9.0f} {:>11.1f} {:>10.1f} {:>9.1f} {:>9.1f}\n",
                   cpu.cpu, ns(cpu.mean[index(ChunkKind::walk)]),
                   ns(cpu.spread[index(ChunkKind::walk)]), ns(cpu.cold), ns(cpu.line_penalty),
                   ns(cpu.mean[index(ChunkKind::latency)]),
                   ns(cpu.mean[index(ChunkKind::throughput)]), 100 * cpu.stolen_ratio);
    fmt::print("\nwalk: a chunk of {} lines, everything cached; cold: all its lines in memory\n"
               "per line: the price of a line that another load evicted\n"
               "chain, block: the yardsticks; stolen: how busy the CPU was meanwhile\n"
               "kept in {}\n",
               soak::lines_per_chunk, soak::calibration_path().string());
}

int calibrate(const Options& options, const base::OriginalSignals& original) {
    base::Loop loop;
    base::Signals signals(original);
    base::stop_at_signals(loop, signals);
    Progress progress(options.quiet);
    Session session(options.instrument);
    if (!session.calibrate(loop, progress)) {
        fmt::print(stderr, "cyclesoak: interrupted; nothing was stored\n");
        return 1;
    }
    print(session.instrument().calibration());
    const bool written = flush_stdout();
    for (const auto& warning : session.warnings())
        fmt::print(stderr, "cyclesoak: {}\n", warning.text);
    return written ? 0 : 1;
}

} // namespace

std::function<int()> add_calibrate(CLI::App& program, const base::OriginalSignals& original) {
    auto* command = program.add_subcommand(
        "calibrate", "Measure what a chunk of soaking takes undisturbed, store it, print it");
    auto options = std::make_shared<Options>();
    add_instrument_options(*command, options->instrument);
    command->add_flag("--quiet", options->quiet, "No progress on stderr");
    command->footer("Example:\n  cyclesoak calibrate --cpus 0-3");
    return [options, &original] { return calibrate(*options, original); };
}

} // namespace commands
