#include "base/files.h"

#include "base/descriptor.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <sys/stat.h>

namespace base {
namespace {

bool is_absence(int error) {
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM ||
           error == ESRCH || error == ENODEV || error == ENXIO || error == EOPNOTSUPP;
}

void write_all(int fd, std::string_view text, const std::string& tried) {
    while (!text.empty()) {
        const ssize_t written = write(fd, text.data(), text.size());
        if (written < 0) throw system_error(tried);
        text.remove_prefix(static_cast<size_t>(written));
    }
}

/// That of the file which is there, else what the user's umask leaves.
mode_t mode_for(const std::filesystem::path& path) {
    struct stat there {};
    if (stat(path.c_str(), &there) == 0) return there.st_mode & 0777;
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

} // namespace

std::filesystem::path Root::at(std::string_view name) const {
    return path_ / std::filesystem::path(name).relative_path();
}

std::optional<std::string> Root::read(std::string_view name) const { return read_file(at(name)); }

std::optional<std::string> Root::read_line(std::string_view name) const {
    auto text = read(name);
    if (text) text->erase(std::min(text->find('\n'), text->size()));
    return text;
}

std::vector<std::string> Root::list(std::string_view name) const {
    std::vector<std::string> names;
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(at(name), absent))
        names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<std::string> read_file(const std::filesystem::path& path) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
        if (is_absence(errno)) return std::nullopt;
        throw system_error(fmt::format("open {}", path.string()));
    }
    std::string text;
    std::array<char, 16384> buffer;
    for (;;) {
        const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
        if (got == 0) return text;
        if (got < 0) {
            if (is_absence(errno)) return std::nullopt;
            throw system_error(fmt::format("read {}", path.string()));
        }
        text.append(buffer.data(), static_cast<size_t>(got));
    }
}

void write_file(const std::filesystem::path& path, std::string_view text) {
    const auto tried = fmt::format("write {}", path.string());
    const auto file = make_descriptor(open(path.c_str(), O_WRONLY | O_CLOEXEC), tried);
    write_all(file.get(), text, tried);
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
    // A device or a pipe is written to; renaming over it would replace it.
    if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
        return write_file(path, text);
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
    // What a link points to is replaced, not the link.
    const auto target = std::filesystem::exists(path) ? std::filesystem::canonical(path) : path;
    auto temporary = target.string() + ".XXXXXX";
    const auto tried = fmt::format("write {}", path.string());
    auto file = make_descriptor(mkostemp(temporary.data(), O_CLOEXEC), tried);
    try {
        write_all(file.get(), text, tried);
        if (fchmod(file.get(), mode_for(target)) != 0 || fsync(file.get()) != 0)
            throw system_error(tried);
        if (rename(temporary.c_str(), target.c_str()) != 0) throw system_error(tried);
    } catch (...) {
        unlink(temporary.c_str());
        throw;
    }
}

} // namespace base
