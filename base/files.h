#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace base {

/// The root under which /proc, /sys and the like are read: "/" in life, a recorded tree in tests.
class Root {
  public:
    explicit Root(std::filesystem::path path = "/") : path_(std::move(path)) {}

    /// "proc/stat" or "/proc/stat" below this root.
    std::filesystem::path at(std::string_view name) const;
    /// Whole text of a file. Absent (or a device that is gone, or no permission): nullopt.
    std::optional<std::string> read(std::string_view name) const;
    /// First line of a file without its newline; nullopt as read().
    std::optional<std::string> read_line(std::string_view name) const;
    /// Names in a directory, sorted; empty if it is absent.
    std::vector<std::string> list(std::string_view name) const;

  private:
    std::filesystem::path path_;
};

/// Whole text of `path`; nullopt if absent or not permitted; std::system_error otherwise.
std::optional<std::string> read_file(const std::filesystem::path& path);

/// Writes into an existing file, such as a kernel control file. Throws std::system_error.
void write_file(const std::filesystem::path& path, std::string_view text);

/// Temporary file beside `path`, synced, renamed: readers see the old text or the new, never half.
/// Creates the folder. What is no regular file (a device, a pipe) is written to as it is. Throws
/// std::system_error.
void replace_file(const std::filesystem::path& path, std::string_view text);

} // namespace base
