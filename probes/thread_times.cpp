#include "probes/thread_times.h"

#include "base/text.h"
#include "probes/kernel_threads.h"

#include <fmt/format.h>

namespace probes {

ThreadTimes::ThreadTimes(const base::Root& root, pid_t pid, std::string_view prefix) {
    const auto tasks = fmt::format("proc/{}/task", pid);
    for (const auto& task : root.list(tasks)) {
        const auto folder = fmt::format("{}/{}", tasks, task);
        const auto name = root.read_line(folder + "/comm").value_or("");
        const auto slash = name.find('/');
        if (slash == name.npos || name.substr(0, slash) != prefix) continue;
        if (const auto number = base::parse_integer(name.substr(slash + 1)))
            files_.try_emplace(static_cast<int>(*number), root.at(folder + "/schedstat"));
    }
}

const std::map<int, base::Nanoseconds>& ThreadTimes::read() {
    for (auto& [number, file] : files_)
        if (const auto text = file.read()) times_[number] = parse_run_time(*text);
    return times_;
}

} // namespace probes
