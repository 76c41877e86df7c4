#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace probes {

using TakeLine = std::function<void(std::string_view line)>;

/// Puts pieces of text together to lines. A line longer than 64 KiB is passed on in parts.
class LineSplitter {
  public:
    /// Calls `take` for every line that is complete now, without its newline.
    void add(std::string_view text, const TakeLine& take);
    /// The text has ended: what has come without a newline is a line too.
    void finish(const TakeLine& take);

  private:
    std::string begun_;
};

} // namespace probes
