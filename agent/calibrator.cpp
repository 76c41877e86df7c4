#include "agent/calibrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <sys/stat.h>
#include <utility>

namespace agent {
namespace {

using demand::CalibrationState;

constexpr size_t checked_windows = 20;
constexpr auto old = std::chrono::hours(24);
constexpr auto look_pause = std::chrono::minutes(1);
constexpr auto first_retry = std::chrono::minutes(1);
constexpr int most_doublings = 6; ///< an hour at last
constexpr double quiet = 0.2;

double unix_now() { return static_cast<double>(std::time(nullptr)); }

} // namespace

Calibrator::Calibrator(soak::Instrument& instrument, const soak::WorkingSetChoice& working_set,
                       bool alone, std::function<void(const std::string&)> say, base::Root root)
    : instrument_(instrument), working_set_(working_set), alone_(alone), say_(std::move(say)),
      root_(std::move(root)), fingerprint_(read_fingerprint()), cpus_(instrument.cpus().size()) {
    load();
}

soak::Fingerprint Calibrator::read_fingerprint() const {
    auto fingerprint = soak::read_fingerprint(root_, instrument_.cpus(), working_set_);
    if (alone_) fingerprint["soakers"] = "alone";
    return fingerprint;
}

void Calibrator::heed(Nanoseconds now) {
    if (now < next_look_) return;
    next_look_ = now + look_pause;
    const auto differs = soak::difference(fingerprint_, read_fingerprint());
    if (differs.empty()) return;
    say_(fmt::format("{}: every CPU will be calibrated again", differs));
    fingerprint_ = read_fingerprint();
    std::fill(cpus_.begin(), cpus_.end(), Cpu());
}

std::filesystem::path Calibrator::path() const {
    return alone_ ? soak::calibration_path("calibration-alone.json") : soak::calibration_path();
}

void Calibrator::load() {
    const auto stored = soak::read_calibration(path(), fingerprint_);
    if (!stored.calibration || !soak::fits(*stored.calibration, instrument_.timebase())) return;
    instrument_.use(*stored.calibration);
    struct stat status {};
    const bool known = stat(path().c_str(), &status) == 0;
    for (size_t at = 0; at < cpus_.size(); ++at)
        if (stored.calibration->find(instrument_.cpus()[at]))
            cpus_[at] = {.state = CalibrationState::good,
                         .at = base::monotonic_now(),
                         .unix_seconds = known ? static_cast<double>(status.st_mtime) : unix_now()};
}

std::optional<size_t> Calibrator::due(Nanoseconds now,
                                      const std::vector<double>& busy_ratio) const {
    for (size_t at = 0; at < cpus_.size(); ++at) {
        const auto& cpu = cpus_[at];
        const auto age = now - cpu.at;
        const auto retry = first_retry * (1 << std::min(cpu.failures, most_doublings));
        if (cpu.failures > 0 || cpu.state == CalibrationState::doubtful) {
            if (age > retry) return at;
        } else if (cpu.state == CalibrationState::missing) {
            return at;
        } else if (age > old && at < busy_ratio.size() && busy_ratio[at] < quiet) {
            return at;
        }
    }
    return std::nullopt;
}

void Calibrator::took(Cpu& cpu, const soak::CpuCalibration& calibration) {
    const bool good = calibration.windows >= soak::enough_windows;
    cpu = {.state = good ? CalibrationState::good : CalibrationState::uncertain,
           .at = base::monotonic_now(),
           .unix_seconds = unix_now(),
           .failures = good ? 0 : cpu.failures + 1};
}

bool Calibrator::calibrate(base::Loop& loop, size_t at) {
    std::vector<std::pair<size_t, soak::CpuCalibration>> taken;
    if (alone_) {
        if (const auto cpu = instrument_.calibrate_alone(loop, at)) taken.emplace_back(at, *cpu);
    } else if (const auto all = instrument_.calibrate(loop)) {
        for (size_t i = 0; i < cpus_.size(); ++i)
            if (const auto* cpu = all->find(instrument_.cpus()[i])) taken.emplace_back(i, *cpu);
    }
    if (loop.stopped()) return false;
    if (taken.empty()) { // too busy
        ++cpus_[at].failures;
        cpus_[at].at = base::monotonic_now();
    }
    for (const auto& [i, calibration] : taken)
        took(cpus_[i], calibration);
    store();
    return true;
}

void Calibrator::check(size_t at, const soak::CpuWindow& window) {
    auto& cpu = cpus_[at];
    cpu.windows.push_back(window);
    if (cpu.windows.size() < checked_windows) return;
    const std::vector windows(cpu.windows.begin(), cpu.windows.end());
    cpu.windows.clear();
    if (!soak::contradicts_calibration(windows)) return;
    say_(fmt::format("CPU {}: its soaker gets through more than its calibration allows; it will be "
                     "calibrated again",
                     window.cpu));
    cpu.state = CalibrationState::doubtful;
}

/// Only what is good is worth keeping; of all at once only all together.
void Calibrator::store() {
    auto calibration = instrument_.calibration();
    std::erase_if(calibration.cpus, [&](const auto& one) {
        const auto& all = instrument_.cpus();
        const auto at = std::find(all.begin(), all.end(), one.cpu) - all.begin();
        return cpus_[static_cast<size_t>(at)].state != CalibrationState::good;
    });
    if (calibration.cpus.empty() || (!alone_ && calibration.cpus.size() < cpus_.size())) return;
    try {
        if (soak::read_calibration(path(), fingerprint_).replaceable)
            soak::write_calibration(path(), calibration, fingerprint_);
    } catch (const std::exception& error) {
        if (!std::exchange(store_failed_, true))
            say_(fmt::format("the calibration could not be stored ({}); the next start will "
                             "calibrate again",
                             error.what()));
    }
}

CalibrationState Calibrator::state() const {
    auto worst = CalibrationState::good;
    for (const auto& cpu : cpus_)
        worst = std::max(worst, cpu.state);
    return worst;
}

double Calibrator::oldest_unix_seconds() const {
    double oldest = cpus_.empty() ? 0 : cpus_.front().unix_seconds;
    for (const auto& cpu : cpus_)
        oldest = std::min(oldest, cpu.unix_seconds);
    return oldest;
}

} // namespace agent
