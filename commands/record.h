#pragma once

#include "base/loop.h"
#include "soak/instrument.h"
#include "soak/recording.h"

#include <fstream>
#include <optional>
#include <span>
#include <string>

namespace commands {

/// What `--record` writes, or nothing where that was not asked for. A file that cannot be written
/// any further ends the recording and not the watching.
class Record {
  public:
    /// Creates the file. Throws base::UsageError if there is something else than a file,
    /// std::system_error if it cannot be created.
    explicit Record(const std::optional<std::string>& file);
    Record(const Record&) = delete;
    Record& operator=(const Record&) = delete;
    ~Record() { end(); }

    bool wanted() const { return name_.has_value(); }

    /// Records the next soaking of `instrument`, calibrated and made to record.
    void begin(soak::Instrument& instrument);
    /// As Loop::run_until; takes meanwhile what the soakers have recorded.
    bool run_until(base::Loop& loop, base::Nanoseconds deadline);
    /// The windows that are computed with `snapshot` can be computed again. `overrun`: the one that
    /// ends there is thrown away.
    void mark(const soak::Snapshot& snapshot, bool overrun);
    /// Ends the recording, if it has not ended yet; says so if bytes of it were lost. False if the
    /// file could not be written.
    bool end();

  private:
    template <typename Write>
    void attempt(Write&& write);
    void drain();

    std::optional<std::string> name_;
    std::ofstream file_;
    std::optional<soak::RecordingWriter> writer_;
    std::span<soak::RecordRing> rings_;
    std::string records_;     ///< between a ring and the file
    uint64_t lost_bytes_ = 0; ///< by the soakers, in full rings
    bool failed_ = false;
};

} // namespace commands
