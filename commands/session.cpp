#include "commands/session.h"

#include "base/error.h"
#include "soak/calibration_store.h"

#include <fmt/format.h>

namespace commands {
namespace {

base::CpuList choose_cpus(const std::string& wanted) {
    if (!wanted.empty()) {
        try {
            return base::parse_cpu_list(wanted);
        } catch (const base::ParseError& error) {
            throw base::UsageError(fmt::format("--cpus: {}", error.what()));
        }
    }
    const auto cpus = soak::unreserved(soak::Topology().cpus(), base::Root());
    if (cpus.empty())
        throw base::UsageError("all CPUs are isolated or nohz_full; name some with --cpus");
    return cpus;
}

constexpr auto uncertain = "calibration-uncertain";

} // namespace

Session::Session(const InstrumentOptions& options, Progress& progress, bool record)
    : options_{.cpus = choose_cpus(options.cpus),
               .working_set = soak::WorkingSetChoice::parse(options.working_set),
               .yield = soak::parse_yield(options.yield),
               .record = record} {
    try {
        hold_.emplace(hold_cpus(soak::holder_path(), options_.cpus, progress));
    } catch (const std::system_error& error) {
        warnings_.push_back({"no-lock", fmt::format("nothing keeps another cyclesoak from the same "
                                                    "CPUs ({})",
                                                    error.what())});
    }
    instrument_.emplace(options_);
}

bool Session::prepare(base::Loop& loop, Progress& progress) {
    const auto fingerprint =
        soak::read_fingerprint(base::Root(), options_.cpus, options_.working_set);
    const auto stored = soak::read_calibration(soak::calibration_path(), fingerprint);
    if (stored.calibration && soak::fits(*stored.calibration, instrument_->timebase())) {
        instrument_->use(*stored.calibration);
        // Taken in a slow moment? The next may be better.
        if (!instrument_->contradicts_calibration(loop)) return !loop.stopped();
        progress.print("cyclesoak: calibrating (the soakers get through more than the last "
                       "calibration allows)");
        return calibrate(loop, progress);
    }
    if (!stored.replaceable)
        warnings_.push_back(
            {"calibration-refused",
             fmt::format("{} is left alone and not used: {}. Remove it to have a calibration kept.",
                         soak::calibration_path().string(), stored.why)});
    else
        progress.print(fmt::format("cyclesoak: calibrating ({})",
                                   stored.calibration ? "the CPU's counter runs at another rate"
                                                      : stored.why));
    return calibrate(loop, progress);
}

bool Session::calibrate(base::Loop& loop, Progress& progress) {
    progress.show("calibrating, about 2 s");
    const auto calibration = instrument_->calibrate(loop);
    progress.clear();
    if (!calibration) {
        if (loop.stopped()) return false;
        if (instrument_->ended()) throw std::runtime_error("the soakers' process was killed");
        throw TooBusyError(
            "cannot calibrate: a CPU is so busy that its soaker hardly ever runs; try "
            "again when it is calmer, or leave it out with --cpus");
    }
    std::erase_if(warnings_, [](const auto& warning) { return warning.id == uncertain; });
    if (!calibration->uncertain()) {
        store(*calibration, progress);
        return true;
    }
    const auto& cpu = calibration->least_sure();
    warnings_.push_back(
        {uncertain, fmt::format("The machine was too busy to calibrate well (CPU {1} to {0:.0f} %, "
                                "undisturbed short windows: {2}): soaked figures can be some "
                                "percent of a CPU off. Nothing was stored; the next start "
                                "calibrates anew.",
                                100 * cpu.stolen_ratio, cpu.cpu, cpu.windows)});
    return true;
}

bool Session::leave_counter(base::Loop& loop, Progress& progress) {
    progress.print("cyclesoak: the CPU's counter has parted from the kernel's clock, as after a "
                   "migration: calibrating again, by clock_gettime");
    options_.counter = false;
    instrument_.emplace(options_);
    return calibrate(loop, progress);
}

void Session::doubt_calibration(Progress& progress) {
    auto calibration = instrument_->calibration();
    calibration.doubtful = true;
    store(calibration, progress);
}

void Session::store(const soak::Calibration& calibration, Progress& progress) {
    const auto path = soak::calibration_path();
    const auto fingerprint =
        soak::read_fingerprint(base::Root(), options_.cpus, options_.working_set);
    if (!soak::read_calibration(path, fingerprint).replaceable) return;
    try {
        soak::write_calibration(path, calibration, fingerprint);
    } catch (const std::exception& error) {
        progress.print(fmt::format("cyclesoak: the calibration could not be stored ({}); the next "
                                   "start will calibrate again",
                                   error.what()));
    }
}

base::Warnings Session::warnings() const {
    auto all = warnings_;
    const auto& more = instrument_->warnings();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

} // namespace commands
