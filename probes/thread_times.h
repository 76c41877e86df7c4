#pragma once

#include "base/files.h"
#include "base/time.h"
#include "probes/kept_file.h"

#include <map>
#include <string_view>
#include <sys/types.h>

namespace probes {

/// The scheduler's run time of a process's threads that are named PREFIX/NUMBER, by that number.
class ThreadTimes {
  public:
    /// Finds the threads that are there now.
    ThreadTimes(const base::Root& root, pid_t pid, std::string_view prefix);

    size_t count() const { return files_.size(); }
    /// Since each thread's start; a thread that has ended keeps its last. Throws ParseError.
    const std::map<int, base::Nanoseconds>& read();

  private:
    std::map<int, KeptFile> files_;
    std::map<int, base::Nanoseconds> times_;
};

} // namespace probes
