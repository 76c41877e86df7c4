#pragma once

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace commands {

/// What every command that soaks understands.
struct InstrumentOptions {
    std::string cpus; ///< "0-2,5"; empty: all that may be used
    std::string working_set = "l2";
    std::string yield = "auto";
};
void add_instrument_options(CLI::App& command, InstrumentOptions& options);

enum class Format { table, json, csv };

/// `csv`: is that one of them?
void add_format_option(CLI::App& command, Format& format, bool csv = true);

/// What every command that reports understands.
struct OutputOptions {
    Format format = Format::table;
    std::optional<std::string> output; ///< a file for the report; stdout keeps the table
    bool quiet = false;
};
void add_output_options(CLI::App& command, OutputOptions& options, bool csv = true);

/// Where the metrics of finished runs go, beside the report.
struct MetricsOptions {
    std::optional<std::string> textfile, pushgateway;
    std::string push_job = "cyclesoak";
};
void add_metrics_options(CLI::App& command, MetricsOptions& options);

} // namespace commands
