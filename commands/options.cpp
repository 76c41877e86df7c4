#include "commands/options.h"

#include <CLI/CLI.hpp>

#include <map>

namespace commands {

void add_instrument_options(CLI::App& command, InstrumentOptions& options) {
    command.add_option("--cpus", options.cpus,
                       "CPUs to soak, like 0-2,5 (default: all that this process may use)");
    command
        .add_option("--working-set", options.working_set,
                    "How heavily cache misses penalise the soakers (default: l2)")
        ->option_text("none|l1|l2|l3|BYTES");
    command
        .add_option("--yield", options.yield,
                    "How the soakers yield to everything else (default: auto)")
        ->option_text("auto|slice|cgroup|autogroup|none");
}

void add_format_option(CLI::App& command, Format& format, bool csv) {
    std::map<std::string, Format> formats{{"table", Format::table}, {"json", Format::json}};
    if (csv) formats["csv"] = Format::csv;
    command.add_option("--format", format, "How to print the result (default: table)")
        ->transform(CLI::CheckedTransformer(formats))
        ->option_text(csv ? "table|json|csv" : "table|json");
}

void add_output_options(CLI::App& command, OutputOptions& options, bool csv) {
    add_format_option(command, options.format, csv);
    command.add_option("--output", options.output,
                       "Write the report to this file; stdout keeps the table");
    command.add_flag("--quiet", options.quiet, "No progress on stderr");
}

void add_metrics_options(CLI::App& command, MetricsOptions& options) {
    command
        .add_option("--textfile", options.textfile,
                    "Write the results as Prometheus metrics to this file, NAME.prom for "
                    "node_exporter's textfile collector")
        ->option_text("FILE");
    auto* gateway =
        command
            .add_option("--pushgateway", options.pushgateway,
                        "Push the results as Prometheus metrics to the pushgateway there, like "
                        "http://host:9091")
            ->option_text("URL");
    command
        .add_option("--push-job", options.push_job,
                    "The job that the pushgateway keeps them under, with this host as instance")
        ->option_text("NAME")
        ->capture_default_str()
        ->needs(gateway);
}

} // namespace commands
