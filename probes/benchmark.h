#pragma once

#include "base/loop.h"
#include "base/signals.h"
#include "base/time.h"
#include "probes/child.h"
#include "probes/line_splitter.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace probes {

/// Writes a line to stderr; what cannot be written is lost.
void echo_to_stderr(std::string_view line);

/// The benchmark, run as a child beside a Loop: its output is passed on line by line as it comes,
/// its end is noticed, and whatever happens nothing of its process group outlives this object.
/// The loop must outlive it. It waits for no child but its own.
class Benchmark {
  public:
    /// Starts it. Throws std::system_error "run NAME: ..." if it cannot be run.
    Benchmark(base::Loop& loop, const std::vector<std::string>& command,
              const base::OriginalSignals& original, TakeLine echo = echo_to_stderr);
    Benchmark(const Benchmark&) = delete;
    Benchmark& operator=(const Benchmark&) = delete;
    /// Kills what is left of the group; waits a second at most for the child to be gone.
    ~Benchmark();

    pid_t pid() const { return child_.pid; }
    bool running() const { return !exit_status_; }
    /// 128 + signal if one ended it, as a shell says; nullopt while it runs.
    std::optional<int> exit_status() const { return exit_status_; }
    /// Called by the loop once, after the end and the last of the output; it must not destroy this.
    void on_end(std::function<void()> ended) { on_end_ = std::move(ended); }

    /// Passes a signal to the whole group.
    void interrupt(int signal);
    /// SIGTERM to the group now, and SIGKILL if it still runs after `grace`; returns at once, the
    /// loop does the rest.
    void terminate(base::Nanoseconds grace);

    /// Its stdout, of more than 16 MiB the end.
    std::string_view output() const;
    /// Its last 20 lines on stderr.
    const std::deque<std::string>& last_errors() const { return last_errors_; }

  private:
    bool read_output();
    bool read_errors();
    void keep_error(std::string_view line);
    void drain();
    void watch();
    void forget();
    void end();

    base::Loop& loop_;
    TakeLine echo_;
    Child child_;
    base::Descriptor kill_timer_;
    LineSplitter output_lines_, error_lines_;
    std::string output_;
    std::deque<std::string> last_errors_;
    std::optional<int> exit_status_;
    std::function<void()> on_end_;
};

} // namespace probes
