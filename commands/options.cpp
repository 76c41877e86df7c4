#include "commands/options.h"

#include <CLI/CLI.hpp>

#include <map>

namespace commands {

void add_instrument_options(CLI::App& command, InstrumentOptions& options) {
    command.add_option("--cpus", options.cpus,
                       "CPUs to soak, like 0-2,5 (default: all that this process may use)");
    command
        .add_option("--working-set", options.working_set,
                    "How heavily cache misses penalise the soakers: none, l1, l2, l3 or bytes")
        ->capture_default_str();
    command
        .add_option("--yield", options.yield,
                    "How the soakers yield to everything else: auto, cgroup, autogroup, none")
        ->capture_default_str();
}

void add_format_option(CLI::App& command, Format& format, bool csv) {
    std::map<std::string, Format> formats{{"table", Format::table}, {"json", Format::json}};
    if (csv) formats["csv"] = Format::csv;
    command
        .add_option("--format", format,
                    csv ? "table, json or csv (default: table)" : "table or json (default: table)")
        ->transform(CLI::CheckedTransformer(formats))
        ->option_text("FORMAT");
}

void add_output_options(CLI::App& command, OutputOptions& options, bool csv) {
    add_format_option(command, options.format, csv);
    command.add_option("--output", options.output,
                       "Write the report to this file; stdout keeps the table");
    command.add_flag("--quiet", options.quiet, "No progress on stderr");
}

} // namespace commands
