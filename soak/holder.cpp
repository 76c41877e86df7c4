#include "soak/holder.h"

#include "base/error.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace soak {
namespace {

/// Open if it exists, whoever made it: in a sticky folder O_CREAT on another user's file fails.
base::Descriptor open_lock(const std::filesystem::path& path) {
    base::Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (file || errno != ENOENT) {
        if (!file) throw base::system_error("open " + path.string());
        return file;
    }
    file = base::make_descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666),
                                 "create " + path.string());
    // Every user must be able to lock, whatever the first one's umask was.
    if (fchmod(file.get(), 0666) != 0) throw base::system_error("chmod " + path.string());
    return file;
}

flock byte_lock(int cpu) {
    flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = cpu;
    lock.l_len = 1;
    return lock;
}

/// False: somebody else has it, or had it a moment ago.
bool try_lock(int file, int cpu, const std::filesystem::path& path) {
    auto lock = byte_lock(cpu);
    if (fcntl(file, F_SETLK, &lock) == 0) return true;
    if (errno != EAGAIN && errno != EACCES) throw base::system_error("lock " + path.string());
    return false;
}

} // namespace

HeldError::HeldError(int cpu, pid_t holder)
    : std::runtime_error(fmt::format("CPU {} is being soaked by process {}; end that or choose "
                                     "other CPUs with --cpus",
                                     cpu, holder)),
      cpu_(cpu), holder_(holder) {}

std::filesystem::path holder_path() {
    const std::filesystem::path locks = "/run/lock";
    return (std::filesystem::is_directory(locks) ? locks : std::filesystem::path("/tmp")) /
           "cyclesoak.lock";
}

Holder::Holder(const std::filesystem::path& path, const base::CpuList& cpus)
    : file_(open_lock(path)) {
    for (const int cpu : cpus)
        while (!try_lock(file_.get(), cpu, path)) {
            auto lock = byte_lock(cpu);
            fcntl(file_.get(), F_GETLK, &lock);
            // Else it has been given back meanwhile, and there is nobody to name.
            if (lock.l_type != F_UNLCK) throw HeldError(cpu, lock.l_pid);
        }
}

} // namespace soak
