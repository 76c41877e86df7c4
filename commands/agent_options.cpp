#include "commands/agent_options.h"

#include "base/cpu_list.h"
#include "base/error.h"
#include "base/files.h"
#include "base/units.h"
#include "loads/options.h"
#include "soak/topology.h"
#include "soak/yielding.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <set>
#include <sstream>

namespace commands {
namespace {

template <typename Parse>
void check(const char* option, const std::string& text, Parse parse) {
    try {
        parse(text);
    } catch (const std::runtime_error& error) { // a UsageError or a ParseError
        throw base::UsageError(fmt::format("{}: {}", option, error.what()));
    }
}

void check(const AgentOptions& options) {
    check("--cpus", options.instrument.cpus, base::parse_cpu_list);
    soak::WorkingSetChoice::parse(options.instrument.working_set);
    soak::parse_yield(options.instrument.yield);
    check("--duty", options.duty, parse_duty);
    check("--window", options.window, parse_window);
}

std::string read_text(const std::string& file) {
    const auto text = base::read_file(file);
    if (!text) throw base::UsageError("it is not there or may not be read");
    return *text;
}

/// CLI11 itself passes over unknown names and takes the last of several values.
void check_item(CLI::App& app, const CLI::ConfigItem& item) {
    if (!item.parents.empty())
        throw base::UsageError(
            fmt::format("'{}': there are no sections in it", item.parents.front()));
    const auto* option = app.get_option_no_throw("--" + item.name);
    if (!option || !option->get_configurable())
        throw base::UsageError(fmt::format("'{}' is no option for it", item.name));
    if (option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeLast &&
        item.inputs.size() > 1)
        throw base::UsageError(fmt::format("--{} takes one value; put quotes around one that has "
                                           "spaces or commas",
                                           item.name));
}

void check_names(CLI::App& app, std::istream& text) {
    std::set<std::string> seen;
    for (const auto& item : app.get_config_formatter()->from_config(text)) {
        check_item(app, item);
        if (!seen.insert(item.name).second)
            throw base::UsageError(fmt::format("--{} is there twice", item.name));
    }
}

/// What the command line has not set.
void take_file(CLI::App& app, const AgentOptions& options) {
    try {
        const auto text = read_text(options.config);
        std::istringstream names(text), values(text);
        check_names(app, names);
        app.parse_from_stream(values);
        check(options);
    } catch (const std::runtime_error& error) {
        throw base::UsageError(fmt::format("{}: {}", options.config, error.what()));
    }
}

} // namespace

void add_agent_options(CLI::App& command, AgentOptions& options) {
    command.option_defaults()->take_last();
    add_instrument_options(command, options.instrument);
    command.get_option("--cpus")->join(','); // a file's list is split at its commas
    command
        .add_option("--duty", options.duty,
                    "Share of the time that each CPU is soaked: 0.1% to 50%, or 100%: always")
        ->capture_default_str();
    command.add_option("--window", options.window, "How long it is soaked at a time: 10ms to 1s")
        ->capture_default_str();
    command
        .add_option("--listen", options.listen,
                    "Serve HTTP here, like 127.0.0.1:12001, [::1]:12001 or :12001; repeatable")
        ->allow_extra_args(false)
        ->take_all()
        ->capture_default_str();
    command.add_option("--tls-cert", options.tls_cert, "Serve HTTPS with this certificate (PEM)");
    command.add_option("--tls-key", options.tls_key, "The certificate's key (PEM)");
    command.add_option("--users", options.users,
                       "Ask for a password: file of NAME:HASH lines, as `htpasswd -B` writes it");
    command.add_option(
        "--textfile", options.textfile,
        "Also write the metrics to this file, for node_exporter's textfile collector");
    command
        .add_option("--per-cpu", options.per_cpu,
                    "A series for each CPU: yes or no (default: yes, no above 128 CPUs)")
        ->check(CLI::IsMember({"yes", "no", "true", "false"}))
        ->option_text("yes|no");
    command
        .add_option("--config", options.config,
                    "Read options from this file too, a NAME=VALUE a line; again on SIGHUP")
        ->configurable(false);
    command.add_flag("--quiet", options.quiet, "No progress on stderr");
}

AgentOptions read_agent_options(const std::vector<std::string>& words) {
    AgentOptions options;
    CLI::App app;
    add_agent_options(app, options);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& error) {
        throw base::UsageError(error.what());
    }
    check(options);
    if (!options.config.empty()) take_file(app, options);
    if (options.tls_cert.has_value() != options.tls_key.has_value())
        throw base::UsageError("--tls-cert and --tls-key: one needs the other");
    return options;
}

double parse_duty(std::string_view text) {
    if (text == "100%") return 1;
    const double share = loads::parse_share(text);
    if (share >= 0.001 && share <= 0.5) return share;
    throw base::UsageError(fmt::format("'{}' is not 0.1% to 50%, or 100%", text));
}

base::Nanoseconds parse_window(std::string_view text) {
    using std::chrono::milliseconds;
    const auto window = base::parse_duration(text);
    if (window >= milliseconds(10) && window <= milliseconds(1000)) return window;
    throw base::UsageError(fmt::format("'{}' is not 10ms to 1s", text));
}

} // namespace commands
