#include "commands/measure.h"

#include "base/error.h"
#include "base/units.h"
#include "probes/benchmark_results.h"
#include "probes/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>

namespace commands {
namespace {

using demand::Stage;

constexpr auto grace = std::chrono::seconds(5);
constexpr auto last_moment = std::chrono::seconds(1);

base::Warnings discard_warnings(const std::map<std::string, int>& discarded) {
    static const std::map<std::string, std::string> reasons{
        {"clock", "the CPU's counter and the kernel's clock disagreed, as after a migration"},
        {"overrun", "it took half as long again as planned; the machine was paused or overloaded"},
        {"suspend", "the machine was suspended"},
        {"throttled", "a CPU quota stopped the soakers (see cpu.stat of their cgroup)"},
        {"soakers-ended", "the soakers' process was killed"}};
    base::Warnings warnings;
    for (const auto& [reason, count] : discarded)
        warnings.push_back({"discarded-" + reason,
                            fmt::format("{} phase{} thrown away: {}", count,
                                        count == 1 ? " was" : "s were", reasons.at(reason))});
    return warnings;
}

} // namespace

Measure::Measure(Session& session, base::Loop& loop, base::Signals& signals,
                 const base::OriginalSignals& original, Progress& progress, const MeasurePlan& plan)
    : session_(session), loop_(loop), original_(original), progress_(progress), plan_(plan),
      signals_(signals), probes_(base::Root(), session.instrument().cpus()) {
    loop_.watch(signals_.fd(), [this] { take_signals(); });
    if (plan.peer) peer_.emplace(*plan.peer, loop, progress);
}

Measure::~Measure() { loop_.forget(signals_.fd()); }

void Measure::take_signals() {
    while (const auto signal = signals_.take()) {
        ++signals_taken_;
        outcome_.interrupted = true;
        if (benchmark_) benchmark_->interrupt(signals_taken_ == 1 ? *signal : SIGKILL);
        if (!benchmark_ || signals_taken_ > 1) loop_.stop();
    }
}

std::optional<Outcome> Measure::run() {
    ask_peer();
    if (!session_.prepare(loop_, progress_) || !measure_baseline()) return std::nullopt;
    // Taken in a slow moment? It is not too late for a better one.
    if (calibration_contradicted()) {
        progress_.print("cyclesoak: calibrating again (the soakers got through more than the last "
                        "calibration allows)");
        if (!session_.calibrate(loop_, progress_) || !measure_baseline()) return std::nullopt;
    }
    run_load();
    loop_.resume();
    if (peer_) peer_->load_ended();
    if (!outcome_.interrupted && plan_.baseline > Nanoseconds::zero()) {
        progress_.show("measuring the baseline again");
        const auto tenth = outcome_.measurement.elapsed / 10;
        run_baseline(Stage::baseline_after, std::max(plan_.baseline, tenth));
    }
    progress_.clear();
    finish();
    return std::move(outcome_);
}

/// Begins the measurement anew. False if it was interrupted.
bool Measure::measure_baseline() {
    progress_.show("measuring the baseline");
    runner_.reset(); // parks the soakers
    runner_.emplace(session_.instrument(), probes_, loop_, plan_.phases);
    run_baseline(Stage::baseline_before, plan_.baseline);
    ask_peer(); // also without a baseline, close to the load
    return !loop_.stopped();
}

void Measure::run_baseline(Stage stage, Nanoseconds elapsed) {
    runner_->run_for(stage, elapsed, [this] { ask_peer(); });
}

/// Only while no phase is running.
void Measure::ask_peer() {
    if (peer_) peer_->ask();
}

bool Measure::calibration_contradicted() const {
    std::map<int, std::vector<soak::CpuWindow>> windows;
    for (const auto& phase : runner_->phases())
        for (const auto& window : phase.soaked)
            windows[window.cpu].push_back(window);
    return std::any_of(windows.begin(), windows.end(),
                       [](const auto& cpu) { return soak::contradicts_calibration(cpu.second); });
}

void Measure::run_load() {
    probes_.rediscover();
    const auto begin = probes_.read();
    probes::Benchmark benchmark(loop_, plan_.command, original_,
                                [this](std::string_view line) { progress_.print(line); });
    benchmark_ = &benchmark;
    benchmark.on_end([this] { loop_.stop(); });
    const auto started = base::monotonic_now();
    while (!loop_.stopped()) {
        const auto elapsed = base::monotonic_now() - started;
        progress_.show(fmt::format("measuring {}: {:.0f} s", plan_.command.front(),
                                   base::to_seconds(elapsed)));
        runner_->run_pair(Stage::load);
        watch_limits(benchmark, elapsed);
        if (runner_->counter_failed() && session_.leave_counter(loop_, progress_)) runner_->renew();
    }
    benchmark_ = nullptr;
    // Where it was ended by force, its status comes a moment later.
    loop_.resume();
    if (benchmark.running()) loop_.run_until(base::monotonic_now() + last_moment);
    outcome_.measurement.load = probes_.read() - begin;
    outcome_.measurement.elapsed = outcome_.measurement.load.time;
    keep_results(benchmark);
}

void Measure::watch_limits(probes::Benchmark& benchmark, Nanoseconds elapsed) {
    if (outcome_.timed_out || outcome_.ended_by_us || !benchmark.running()) return;
    outcome_.timed_out = plan_.timeout && elapsed >= *plan_.timeout;
    outcome_.ended_by_us = plan_.duration && elapsed >= *plan_.duration;
    if (outcome_.timed_out || outcome_.ended_by_us) benchmark.terminate(grace);
}

void Measure::keep_results(const probes::Benchmark& benchmark) {
    auto& measurement = outcome_.measurement;
    auto& report = measurement.benchmark.emplace();
    report.command = plan_.command;
    report.exit_status = benchmark.exit_status();
    // With the terminal in its hands only the benchmark hears of Ctrl-C.
    if (report.exit_status == 128 + SIGINT) outcome_.interrupted = true;
    outcome_.last_lines = fmt::format("{}", fmt::join(benchmark.last_errors(), "\n"));
    measurement.work = plan_.work;
    try {
        const auto results = probes::parse_results(
            plan_.command, benchmark.output(),
            plan_.parser.empty() ? std::nullopt : std::optional(plan_.parser));
        if (!results) return;
        report.cpu_ratios = results->cpu_ratios;
        if (!measurement.work) measurement.work = results->work;
    } catch (const base::ParseError& error) {
        measurement.warnings.push_back(
            {"benchmark-output",
             fmt::format("the benchmark's own result could not be read, the work is taken from "
                         "network counters instead: {}",
                         error.what())});
    }
}

void Measure::finish() {
    auto& measurement = outcome_.measurement;
    // Three make two stretches of baseline; who interrupts us does not want to wait for that.
    if (peer_) measurement.peer = peer_->finish(outcome_.interrupted ? 1 : 3);
    outcome_.soakers_ended = session_.instrument().ended();
    measurement.phases = runner_->phases();
    measurement.devices = plan_.devices;
    measurement.yielding = soak::to_string(session_.instrument().yielding());
    measurement.settings = probes::read_settings(base::Root());
    measurement.settings["cpus"] = base::format_cpu_list(session_.instrument().cpus());
    measurement.settings["phase seconds"] =
        fmt::format("{:g}", base::to_seconds(plan_.phases.length));
    measurement.settings["baseline seconds"] =
        fmt::format("{:g}", base::to_seconds(plan_.baseline));
    const auto add = [&](const base::Warnings& more) {
        measurement.warnings.insert(measurement.warnings.end(), more.begin(), more.end());
    };
    add(session_.warnings());
    add(probes_.warnings());
    if (calibration_contradicted()) {
        session_.doubt_calibration(progress_);
        add({{"calibration-doubtful",
              "the soakers got through more than their calibration allows, again and again: the "
              "soaked figures cannot be trusted. The next start calibrates anew."}});
    }
    add(discard_warnings(runner_->discarded()));
}

} // namespace commands
