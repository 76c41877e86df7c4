#include "probes/kept_file.h"

#include "base/error.h"

#include <fcntl.h>

namespace probes {
namespace {

/// A quarter of the usual limit on descriptors; the rest is left to others.
constexpr int most_kept = 256;

bool is_gone(int error) { return error == ENOENT || error == ESRCH || error == ENODEV; }

} // namespace

bool KeptFile::open_file() {
    if (file_) return true;
    file_ = base::Descriptor(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file_ && !is_gone(errno)) throw base::system_error("open " + path_.string());
    return static_cast<bool>(file_);
}

/// Reads on from `used`; how much there was, nullopt if the file has gone.
std::optional<size_t> KeptFile::fill(size_t used) {
    if (buffer_.size() < used + 128) buffer_.resize(2 * used + 256);
    const ssize_t got =
        pread(file_.get(), buffer_.data() + used, buffer_.size() - used, static_cast<off_t>(used));
    if (got >= 0) return static_cast<size_t>(got);
    const int error = errno;
    file_.close();
    if (!is_gone(error)) throw base::system_error("read " + path_.string(), error);
    return std::nullopt;
}

std::optional<std::string_view> KeptFile::read() {
    if (!open_file()) return std::nullopt;
    size_t used = 0;
    for (;;) {
        const auto got = fill(used);
        if (!got) return std::nullopt;
        if (*got == 0) break;
        used += *got;
    }
    if (file_.get() >= most_kept) file_.close();
    return std::string_view(buffer_).substr(0, used);
}

} // namespace probes
