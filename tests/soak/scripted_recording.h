#pragma once

#include "soak/recorder.h"
#include "soak/recording.h"
#include "soak/replay.h"
#include "tests/soak/scripted_soaker.h"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

/// A soaker that records, and what its parent knows of it.
class RecordedSoaker : public BasicScriptedSoaker<soak::Recorder> {
  public:
    explicit RecordedSoaker(soak::RecordRing& ring) : BasicScriptedSoaker(usual::limits(), ring) {}

    void begin(Ticks late = 0) {
        told_begin = now();
        number_ = 0;
        BasicScriptedSoaker::begin(late);
    }
    /// The chunk that is due ends, having run for `ran`.
    void due(std::optional<Ticks> ran = {}) { chunk(soak::scheduled_chunk(number_++), ran); }
    void due_chunks(int count) {
        for (int i = 0; i < count; ++i)
            due();
    }
    void end(Ticks edge) { BasicScriptedSoaker::end(edge, soak::scheduled_chunk(number_)); }

    Ticks told_begin = 0; ///< edge of the last command to soak
    bool displaced = false;

  private:
    uint32_t number_ = 0;
};

/// Soakers and their parent, all scripted, of whom a recording is made as `watch --record` makes
/// it.
class ScriptedRecording {
  public:
    using Ticks = soak::Ticks;

    explicit ScriptedRecording(int cpus = 1) {
        for (int cpu = 0; cpu < cpus; ++cpu) {
            header_.cpus.push_back(cpu);
            header_.calibration.cpus.push_back(usual::calibration(cpu));
            rings_.push_back(std::make_unique<soak::RecordRing>());
            rings_.back()->set_wanted(true);
            soakers_.push_back(std::make_unique<RecordedSoaker>(*rings_.back()));
        }
        writer_.write_header(header_);
    }

    RecordedSoaker& soaker(size_t cpu = 0) { return *soakers_[cpu]; }
    soak::RecordRing& ring(size_t cpu = 0) { return *rings_[cpu]; }

    void drain() {
        for (size_t i = 0; i < rings_.size(); ++i) {
            std::string records;
            rings_[i]->take(records);
            if (!records.empty()) writer_.write_records(i, records);
        }
    }

    /// The parent looks, at `at` by its clock (default: when the first soaker is).
    void mark(std::optional<Ticks> at = {}) {
        soak::Snapshot snapshot{.time = {.ticks = at.value_or(soaker().now())},
                                .own_cpu = own_cpu,
                                .own_place = own_place};
        snapshot.time.raw =
            header_.timebase.duration(static_cast<double>(snapshot.time.ticks)) + clock_error;
        for (const auto& soaker : soakers_) {
            auto& cpu = snapshot.cpus.emplace_back(soak::make_cpu_snapshot(
                soaker->tally(), soaker->told_begin, snapshot.time.ticks, usual::limits()));
            cpu.displaced = soaker->displaced;
        }
        if (last_)
            live.push_back(soak::make_windows(*last_, snapshot, header_.cpus, header_.calibration,
                                              header_.timebase));
        auto recorded = soak::make_recorded(snapshot);
        for (size_t i = 0; i < rings_.size(); ++i)
            recorded.cpus[i].lost_bytes = rings_[i]->lost_bytes();
        recorded.overrun = overrun;
        drain();
        writer_.write_snapshot(recorded);
        last_ = std::move(snapshot);
    }

    std::string text() const { return file_.str(); }
    std::string finished() {
        writer_.write_end();
        return text();
    }

    // What the parent sees beside its soakers.
    soak::Nanoseconds own_cpu{}, clock_error{};
    int own_place = 0;
    bool overrun = false;

    std::vector<soak::Windows> live; ///< as they were when the recording was made

  private:
    soak::RecordingHeader header_{.timebase = {true, usual::ticks_per_ns},
                                  .calibration = {.ticks_per_ns = usual::ticks_per_ns}};
    std::vector<std::unique_ptr<soak::RecordRing>> rings_;
    std::vector<std::unique_ptr<RecordedSoaker>> soakers_;
    std::ostringstream file_;
    soak::RecordingWriter writer_{file_, "file"};
    std::optional<soak::Snapshot> last_;
};

/// All windows of a recording.
inline std::vector<soak::Windows> replayed(const std::string& text) {
    std::istringstream file(text);
    soak::RecordingReader reader(file, "file");
    soak::Replay replay(reader);
    std::vector<soak::Windows> windows;
    while (auto next = replay.next())
        windows.push_back(std::move(*next));
    return windows;
}

inline void expect_same(const std::vector<soak::Windows>& a, const std::vector<soak::Windows>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].discarded, b[i].discarded);
        EXPECT_EQ(a[i].cpus, b[i].cpus) << "window " << i;
    }
}
