#pragma once

#include "base/files.h"
#include "base/warning.h"
#include "soak/systemd_slice.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

namespace soak {

/// How the soakers are kept from taking anything from the load. SCHED_IDLE alone is not enough:
/// the scheduler first shares a CPU between groups.
enum class Yield { automatic, cgroup, slice, autogroup, none };

/// Throws base::UsageError.
Yield parse_yield(const std::string& text);
std::string to_string(Yield method);

/// A top-level CPU group of our own with cpu.idle = 1, in which a process lives; removed at the end
/// of this object's life.
class IdleGroup {
  public:
    /// Made in the name of process `owner`, with process `pid` in it, all its threads. nullopt, with
    /// the reason in `why`, where that cannot be done without changing anything else: controllers
    /// are never switched on for the whole host.
    static std::optional<IdleGroup> make(const base::Root& root, pid_t owner, pid_t pid,
                                         std::string& why);
    IdleGroup(IdleGroup&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
    IdleGroup& operator=(IdleGroup&& other) noexcept {
        std::swap(path_, other.path_);
        return *this;
    }
    /// Removes the group; the process in it must have ended.
    ~IdleGroup();

    const std::filesystem::path& path() const { return path_; }

  private:
    explicit IdleGroup(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

/// Where CPU groups can be made: the mounted v1 `cpu` hierarchy, or the v2 root if it hands out the
/// `cpu` controller. nullopt: neither.
std::optional<std::filesystem::path> find_cpu_hierarchy(const base::Root& root);

/// Removes groups of ours whose owner's pid is no longer alive, and only those.
void remove_dead_groups(const std::filesystem::path& hierarchy);

/// What is in force for the soakers' process.
struct Yielding {
    Yield method = Yield::none;
    std::optional<IdleGroup> group;
    base::Warnings warnings;
};

/// Puts process `pid`, alone in its session, under `wanted`, or the best that works here for
/// `automatic`: a group (systemd's slice where systemd owns a v2 hierarchy that hands out `cpu`, else
/// one of our own), the autogroup, none. An explicit method that does not work throws
/// std::runtime_error with the reason.
Yielding make_yielding(const base::Root& root, Yield wanted, pid_t owner, pid_t pid,
                       const Systemd& systemd = {});

} // namespace soak
