#pragma once

#include "base/descriptor.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace probes {

/// A kernel file that is read again and again. Its descriptor stays open between readings: opening
/// costs several times what reading a short /proc file does. Only where the process already
/// has many files open (hundreds of CPUs, each with its kernel threads) is it closed after each.
class KeptFile {
  public:
    explicit KeptFile(std::filesystem::path path) : path_(std::move(path)) {}

    const std::filesystem::path& path() const { return path_; }

    /// The whole text as it is now, valid until the next reading; nullopt if the file is not there
    /// (any more). Throws std::system_error.
    std::optional<std::string_view> read();

  private:
    bool open_file();
    std::optional<size_t> fill(size_t used);

    std::filesystem::path path_;
    base::Descriptor file_;
    std::string buffer_;
};

} // namespace probes
