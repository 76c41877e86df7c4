#pragma once

#include "base/time.h"

#include <string>
#include <string_view>

namespace commands {

/// The line on a terminal's stderr that says what is being waited for. Nowhere else, and not when
/// told to be quiet.
class Progress {
  public:
    explicit Progress(bool quiet);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(const std::string& text);
    void clear();
    /// A lasting line on stderr, terminal or not; the progress line comes back below it.
    void print(std::string_view line);
    /// The same, unless told to be quiet.
    void note(std::string_view line) {
        if (!quiet_) print(line);
    }

  private:
    bool shown_on_terminal_;
    bool quiet_;
    std::string text_;
};

} // namespace commands
