#include "probes/kernel_threads.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace probes {
namespace {

/// The number between `prefix` and the next colon or the end.
std::optional<int> numbered(std::string_view comm, std::string_view prefix) {
    if (!comm.starts_with(prefix)) return std::nullopt;
    const auto rest = comm.substr(prefix.size());
    const auto number = base::parse_integer(rest.substr(0, rest.find(':')));
    return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

} // namespace

std::optional<NetworkThread> parse_network_thread(std::string_view comm) {
    if (comm.starts_with("napi/")) return NetworkThread{};
    for (const auto* prefix : {"ksoftirqd/", "kworker/", "backlog_napi/"})
        if (const auto cpu = numbered(comm, prefix)) return NetworkThread{cpu};
    return std::nullopt;
}

Nanoseconds parse_run_time(std::string_view schedstat) {
    const auto time = base::parse_integer(schedstat.substr(0, schedstat.find(' ')));
    if (!time) throw base::ParseError("/proc/PID/schedstat", 1, "does not begin with a number");
    return Nanoseconds(*time);
}

int parse_processor(std::string_view stat) {
    // The name, field 2, may itself contain blanks and parentheses.
    const auto name_end = stat.rfind(')');
    if (name_end != stat.npos) {
        const auto fields = base::split(stat.substr(name_end + 1));
        const auto cpu =
            fields.size() > 36 ? base::parse_integer(fields[36]) : std::optional<int64_t>();
        if (cpu) return static_cast<int>(*cpu);
    }
    throw base::ParseError("/proc/PID/stat", 1, "no processor in field 39");
}

KernelThreads::KernelThreads(base::Root root, base::CpuList cpus)
    : root_(std::move(root)), cpus_(std::move(cpus)) {
    discover();
}

void KernelThreads::discover() {
    for (const auto& name : root_.list("proc")) {
        const auto pid = base::parse_integer(name);
        if (!pid || threads_.contains(static_cast<int>(*pid))) continue;
        const auto comm = root_.read_line(fmt::format("proc/{}/comm", name));
        const auto thread = comm ? parse_network_thread(*comm) : std::nullopt;
        if (thread) add(static_cast<int>(*pid), *thread);
    }
}

void KernelThreads::add(int pid, const NetworkThread& found) {
    if (found.cpu && !std::binary_search(cpus_.begin(), cpus_.end(), *found.cpu)) return;
    const auto folder = root_.at(fmt::format("proc/{}", pid));
    Thread thread{found.cpu, KeptFile(folder / "schedstat"), KeptFile(folder / "stat")};
    const auto text = thread.schedstat.read();
    if (!text) return;
    thread.seen = parse_run_time(*text);
    threads_.emplace(pid, std::move(thread));
}

const std::map<int, Nanoseconds>& KernelThreads::read() {
    if (!threads_.empty())
        for (const int cpu : cpus_)
            time_[cpu];
    for (auto thread = threads_.begin(); thread != threads_.end();)
        thread = read(thread->second) ? std::next(thread) : threads_.erase(thread);
    return time_;
}

/// Adds what the thread ran since it was last seen; false if it has ended.
bool KernelThreads::read(Thread& thread) {
    const auto text = thread.schedstat.read();
    if (!text) return false;
    const auto now = parse_run_time(*text);
    const auto ran = std::max(now - thread.seen, Nanoseconds::zero());
    thread.seen = now;
    if (ran == Nanoseconds::zero()) return true;
    const auto stat = thread.cpu ? std::nullopt : thread.stat.read();
    const auto cpu = stat ? std::optional(parse_processor(*stat)) : thread.cpu;
    if (cpu && time_.contains(*cpu)) time_[*cpu] += ran;
    return true;
}

} // namespace probes
