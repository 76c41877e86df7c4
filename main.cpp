#include "base/error.h"
#include "base/signals.h"
#include "commands/agent.h"
#include "commands/calibrate.h"
#include "commands/doctor.h"
#include "commands/load.h"
#include "commands/run.h"
#include "commands/verify.h"
#include "commands/watch.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <string>

namespace {

int dispatch(CLI::App& program, int argc, char** argv, const base::OriginalSignals& original) {
    program.set_version_flag("--version", "cyclesoak " CYCLESOAK_VERSION);
    program.footer("Example:\n  cyclesoak run -- iperf3 -c 127.0.0.1 -u -b 400M -l 1472 -t 8 -J");
    const auto watch = commands::add_watch(program, original);
    const auto run = commands::add_run(program, original);
    const auto calibrate = commands::add_calibrate(program, original);
    const auto doctor = commands::add_doctor(program, original);
    const auto verify = commands::add_verify(program, original);
    const auto agent = commands::add_agent(program, argc, argv, original);
    const auto load = commands::add_load(program);
    program.parse(argc, argv);
    if (program.got_subcommand("run")) return run();
    if (program.got_subcommand("calibrate")) return calibrate();
    if (program.got_subcommand("doctor")) return doctor();
    if (program.got_subcommand("verify")) return verify();
    if (program.got_subcommand("agent")) return agent();
    if (program.got_subcommand("load")) return load();
    return watch();
}

/// The command's name with its subcommands', as far as they were understood.
std::string full_name(const CLI::App& program) {
    std::string name = program.get_name();
    const CLI::App* command = &program;
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
        name += " " + command->get_name();
    }
    return name;
}

/// The first of what nothing was made of; that is what CLI11 lists, in an order of its own.
std::string first_unexpected(const CLI::App& program, int argc, char** argv) {
    const auto unexpected = program.remaining(true);
    const auto* first = std::find_if(argv + 1, argv + argc, [&](const char* argument) {
        return std::find(unexpected.begin(), unexpected.end(), argument) != unexpected.end();
    });
    return first != argv + argc ? *first : unexpected.front();
}

} // namespace

int main(int argc, char** argv) {
    const auto original = base::read_signals();
    std::signal(SIGPIPE, SIG_IGN); // a closed pipe is an answer, not an end
    CLI::App program(
        "Measures what a network load costs in CPU time, by soaking up what it leaves.",
        "cyclesoak");
    try {
        return dispatch(program, argc, argv, original);
    } catch (const CLI::ExtrasError&) {
        fmt::print(stderr, "cyclesoak: '{}' was not expected here; {} --help has what is\n",
                   first_unexpected(program, argc, argv), full_name(program));
        return 2;
    } catch (const CLI::ParseError& error) {
        return program.exit(error) == 0 ? 0 : 2;
    } catch (const base::UsageError& error) {
        fmt::print(stderr, "cyclesoak: {}\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "cyclesoak: {}\n", error.what());
        return 1;
    }
}
