#include "commands/record.h"

#include "base/error.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace commands {
namespace {

/// A ring is full after ten times as long.
constexpr auto drained_every = std::chrono::milliseconds(50);

} // namespace

Record::Record(const std::optional<std::string>& file) : name_(file) {
    if (!name_) return;
    if (std::filesystem::exists(*name_) && !std::filesystem::is_regular_file(*name_))
        throw base::UsageError(fmt::format("--record: {} is not a file", *name_));
    // An older recording stays until there is something to record.
    file_.open(*name_, std::ios::binary | std::ios::app);
    if (!file_) throw base::system_error(fmt::format("--record: open {}", *name_));
}

template <typename Write>
void Record::attempt(Write&& write) {
    if (!writer_) return;
    try {
        write();
    } catch (const std::system_error& error) {
        fmt::print(stderr, "cyclesoak: the recording ends here: {}\n", error.what());
        writer_.reset();
        failed_ = true;
    }
}

void Record::begin(soak::Instrument& instrument) {
    if (!wanted()) return;
    std::filesystem::resize_file(*name_, 0);
    rings_ = instrument.start_recording();
    const soak::RecordingHeader header{.cpus = instrument.cpus(),
                                       .timebase = instrument.timebase(),
                                       .calibration = instrument.calibration()};
    writer_.emplace(file_, *name_);
    attempt([&] { writer_->write_header(header); });
}

bool Record::run_until(base::Loop& loop, base::Nanoseconds deadline) {
    for (auto now = base::monotonic_now(); writer_ && now + drained_every < deadline;
         now = base::monotonic_now()) {
        if (!loop.run_until(now + drained_every)) return false;
        drain();
    }
    return loop.run_until(deadline);
}

void Record::drain() {
    for (size_t i = 0; i < rings_.size(); ++i) {
        records_.clear();
        rings_[i].take(records_);
        if (!records_.empty()) attempt([&] { writer_->write_records(i, records_); });
    }
}

void Record::mark(const soak::Snapshot& snapshot, bool overrun) {
    if (!writer_) return;
    auto recorded = soak::make_recorded(snapshot);
    recorded.overrun = overrun;
    lost_bytes_ = 0;
    for (size_t i = 0; i < rings_.size(); ++i)
        lost_bytes_ += recorded.cpus[i].lost_bytes = rings_[i].lost_bytes();
    drain(); // what the snapshot counts is in the rings by now
    attempt([&] { writer_->write_snapshot(recorded); });
}

bool Record::end() {
    attempt([&] { writer_->write_end(); });
    writer_.reset();
    if (const auto lost = std::exchange(lost_bytes_, 0); lost > 0)
        fmt::print(
            stderr,
            "cyclesoak: {} bytes of the recording were lost, since nobody took them in time; "
            "a replay leaves out the windows they are of\n",
            lost);
    return !failed_;
}

} // namespace commands
