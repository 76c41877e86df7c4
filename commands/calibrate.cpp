#include "commands/calibrate.h"

#include "commands/report_output.h"
#include "commands/session.h"
#include "exporters/calibration.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <vector>

namespace commands {
namespace {

struct Options {
    InstrumentOptions instrument;
    OutputOptions output;
};

bool write(const soak::Instrument& instrument, const OutputOptions& options) {
    std::vector<size_t> working_set_bytes;
    for (const auto& plan : instrument.plans())
        working_set_bytes.push_back(plan.working_set_bytes);
    return write_output(options, [&](std::ostream& out, Format format) {
        if (format == Format::json)
            exporters::write_calibration_json(out, instrument.calibration(), working_set_bytes);
        else
            exporters::write_calibration(out, instrument.calibration());
    });
}

int calibrate(const Options& options, const base::OriginalSignals& original) {
    base::Loop loop;
    base::Signals signals(original);
    base::stop_at_signals(loop, signals);
    Progress progress(options.output.quiet);
    Session session(options.instrument, progress);
    if (!session.calibrate(loop, progress)) {
        fmt::print(stderr, "cyclesoak: interrupted; nothing was stored\n");
        return 1;
    }
    const bool written = write(session.instrument(), options.output);
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
    add_output_options(*command, options->output, false);
    command->footer("Example:\n  cyclesoak calibrate --cpus 0-3");
    return [options, &original] { return calibrate(*options, original); };
}

} // namespace commands
