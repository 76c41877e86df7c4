#include "commands/report_output.h"

#include "base/files.h"
#include "commands/terminal.h"
#include "exporters/csv.h"
#include "exporters/json.h"
#include "exporters/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <sstream>

namespace commands {
namespace {

using Reports = std::vector<demand::Report>;

void write(std::ostream& out, const Reports& reports, Format format) {
    if (format == Format::json) return exporters::write_json(out, reports);
    if (format == Format::csv) return exporters::write_csv(out, reports);
    for (const auto& report : reports) {
        if (&report != &reports.front()) out << '\n';
        exporters::write_table(out, report, read_screen());
    }
}

bool write_to_file(const OutputOptions& options,
                   const std::function<void(std::ostream&, Format)>& write) {
    std::ostringstream text;
    write(text, options.format == Format::table ? Format::json : options.format);
    try {
        base::replace_file(*options.output, text.str());
        return true;
    } catch (const std::exception& error) {
        fmt::print(stderr, "cyclesoak: --output: {}\n", error.what());
        return false;
    }
}

} // namespace

bool write_output(const OutputOptions& options,
                  const std::function<void(std::ostream&, Format)>& write) {
    write(std::cout, options.output ? Format::table : options.format);
    std::cout.flush();
    // A pipe that was closed is a reader who has seen enough; a full disk is not.
    const bool written = std::cout.good() || errno == EPIPE;
    if (!written) fmt::print(stderr, "cyclesoak: the report could not be written to stdout\n");
    return (!options.output || write_to_file(options, write)) && written;
}

bool write_reports(const Reports& reports, const OutputOptions& options) {
    return write_output(options,
                        [&](std::ostream& out, Format format) { write(out, reports, format); });
}

bool trusted(const demand::Report& report) {
    constexpr std::array worthless{"calibration-doubtful"};
    if (report.demands.empty())
        fmt::print(stderr, "cyclesoak: there is no service demand in this report; its warnings say "
                           "why\n");
    bool trust = !report.demands.empty();
    for (const auto& warning : report.warnings)
        if (std::find(worthless.begin(), worthless.end(), warning.id) != worthless.end()) {
            fmt::print(stderr, "cyclesoak: {}\n", warning.text);
            trust = false;
        }
    return trust;
}

} // namespace commands
