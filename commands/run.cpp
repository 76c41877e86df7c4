#include "commands/run.h"

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "commands/measure.h"
#include "commands/metrics_output.h"
#include "commands/report_output.h"
#include "probes/benchmark_results.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace commands {
namespace {

/// The built-in load: UDP at a fixed rate, so that only its CPU cost can differ.
constexpr auto built_in_rate = "34k";
constexpr auto built_in_seconds = 10;

struct Options {
    InstrumentOptions instrument;
    OutputOptions output;
    MetricsOptions metrics;
    std::vector<std::string> command, devices, work;
    std::optional<std::string> peer, peer_ca, peer_password_file;
    std::string parser, baseline = "1.5s", duration, phase = "300ms", timeout;
    bool continuous = false, free = false;
    int repeat = 1;
};

/// Our own program, as a benchmark: UDP between the first and the last of the soaked CPUs.
std::vector<std::string> built_in_load(const base::CpuList& cpus, Nanoseconds duration) {
    return {std::filesystem::read_symlink("/proc/self/exe").string(),
            "load",
            "udp",
            "--rate",
            built_in_rate,
            "--cpu",
            fmt::format("{},{}", cpus.front(), cpus.back()),
            "--time",
            fmt::format("{}s", base::to_seconds(duration))};
}

/// "bytes=1e9", "packets=…", "transactions=…" or a unit of the user's own.
base::Work parse_work(const std::vector<std::string>& texts) {
    base::Work work{.source = "--work"};
    for (const auto& text : texts) {
        const auto sign = text.find('=');
        const auto name = text.substr(0, sign);
        const auto count =
            sign == text.npos ? std::nullopt : base::parse_number(text.substr(sign + 1));
        if (name.empty() || !count || *count <= 0)
            throw base::UsageError(
                fmt::format("--work: '{}' is not like bytes=1e9 or requests=5000", text));
        if (name == "bytes")
            work.bytes = count;
        else if (name == "packets")
            work.packets = count;
        else if (name == "transactions")
            work.transactions = count;
        else
            work.units[name] = *count;
    }
    return work;
}

Nanoseconds parse_option(const char* name, const std::string& text, Nanoseconds least) {
    try {
        const auto time = base::parse_duration(text);
        if (time >= least) return time;
    } catch (const base::UsageError& error) {
        throw base::UsageError(fmt::format("{}: {}", name, error.what()));
    }
    throw base::UsageError(
        fmt::format("{}: '{}' is too short; {:g} s at least", name, text, base::to_seconds(least)));
}

MeasurePlan make_plan(const Options& options) {
    using std::chrono::milliseconds;
    MeasurePlan plan{.command = options.command, .parser = options.parser};
    if (!plan.parser.empty()) probes::require_parser(plan.parser);
    if (options.continuous) plan.phases.kinds = PhasePlan::Kinds::soaked;
    if (options.free) plan.phases.kinds = PhasePlan::Kinds::free;
    plan.phases.length = parse_option("--phase", options.phase, milliseconds(50));
    plan.baseline = parse_option("--baseline", options.baseline, Nanoseconds::zero());
    if (!options.duration.empty())
        plan.duration = parse_option("--duration", options.duration, milliseconds(100));
    if (!options.timeout.empty())
        plan.timeout = parse_option("--timeout", options.timeout, milliseconds(100));
    plan.devices = options.devices;
    if (!options.work.empty()) plan.work = parse_work(options.work);
    if (options.peer)
        plan.peer =
            agent::read_peer_access(*options.peer, options.peer_ca, options.peer_password_file);
    return plan;
}

int failed(const std::string& what) {
    fmt::print(stderr, "cyclesoak: {}\n", what);
    return 1;
}

/// 0, or what went wrong and its exit code.
int judge(const Outcome& outcome, const demand::Report& report) {
    if (outcome.soakers_ended) return failed("the soakers' process was killed in mid-run");
    const auto& benchmark = report.benchmark;
    if (outcome.timed_out) return failed("the benchmark did not end in time and was ended");
    const int status = benchmark ? benchmark->exit_status.value_or(0) : 0;
    if (status != 0 && !outcome.interrupted && !outcome.ended_by_us)
        return failed(fmt::format("{} failed with exit status {}{}{}", benchmark->command.front(),
                                  status, outcome.last_lines.empty() ? "" : "; it said:\n",
                                  outcome.last_lines));
    return trusted(report) ? 0 : 3;
}

/// A failure is worse than a doubt.
int worse(int a, int b) { return a == 1 || b == 1 ? 1 : std::max(a, b); }

int run(const Options& options, const base::OriginalSignals& original) {
    auto plan = make_plan(options);
    const MetricsOutput metrics(options.metrics);
    base::Loop loop;
    base::Signals signals(original);
    Progress progress(options.output.quiet);
    Session session(options.instrument, progress);
    if (plan.command.empty()) {
        const auto length = plan.duration.value_or(std::chrono::seconds(built_in_seconds));
        plan.command = built_in_load(session.instrument().cpus(), length);
        plan.duration.reset();
    }
    std::vector<demand::Report> reports;
    int code = 0;
    for (int i = 0; i < options.repeat; ++i) {
        const auto outcome = Measure(session, loop, signals, original, progress, plan).run();
        if (!outcome) break;
        reports.push_back(demand::make_report(outcome->measurement));
        code = worse(code, judge(*outcome, reports.back()));
        if (outcome->interrupted) break;
    }
    if (reports.empty()) return failed("interrupted before the load began; nothing was measured");
    const bool written = write_reports(reports, options.output);
    return metrics.write(reports) && written ? code : 1;
}

} // namespace

std::function<int()> add_run(CLI::App& program, const base::OriginalSignals& original) {
    auto* command = program.add_subcommand("run", "Measure what a load costs while it runs");
    command->option_defaults()->take_last();
    auto options = std::make_shared<Options>();
    add_instrument_options(*command, options->instrument);
    add_output_options(*command, options->output);
    add_metrics_options(*command, options->metrics);
    command
        ->add_option("benchmark", options->command,
                     "What to run, after `--`; without one a built-in loopback load, 10 s")
        ->take_all();
    command
        ->add_option("--baseline", options->baseline,
                     "How long to look at the idle system before and after; 0: not at all")
        ->capture_default_str();
    command->add_option("--duration", options->duration,
                        "End the load after this time (built-in load: 10s)");
    command->add_option("--timeout", options->timeout,
                        "Kill the benchmark after this time and fail");
    command->add_option("--phase", options->phase, "Mean length of a soaked or free phase")
        ->capture_default_str();
    auto* continuous = command->add_flag("--continuous", options->continuous, "Soak all the time");
    command->add_flag("--free", options->free, "Never soak: idle-time figures only")
        ->excludes(continuous);
    command
        ->add_option("--parser", options->parser,
                     "Whose output the benchmark prints, if its name does not tell")
        ->option_text("iperf3|cyclesoak");
    command
        ->add_option("--work", options->work,
                     "What the load does in all, like bytes=1e9 or requests=5000; repeatable")
        ->allow_extra_args(false)
        ->take_all();
    command
        ->add_option("-i,--interface", options->devices,
                     "Count work on this network device; repeatable (default: the busiest)")
        ->allow_extra_args(false)
        ->take_all();
    auto* peer = command->add_option(
        "--peer", options->peer,
        "Ask the agent of the other end too, at host:port or https://host:port");
    command
        ->add_option("--peer-ca", options->peer_ca,
                     "Certificates that may vouch for it (default: the system's)")
        ->needs(peer);
    command
        ->add_option("--peer-password-file", options->peer_password_file,
                     "A file whose first line is name:password, for an agent that asks")
        ->needs(peer);
    command->add_option("--repeat", options->repeat, "Measure so many times, a report each")
        ->check(CLI::Range(1, 1000));
    command->footer("Example:\n  cyclesoak run -- iperf3 -c 127.0.0.1 -u -b 400M -l 1472 -t 8 -J");
    return [options, &original] { return run(*options, original); };
}

} // namespace commands
