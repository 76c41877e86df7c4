#pragma once

#include "base/files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

/// A recorded root of tests/data/roots, copied to a temporary folder where a test may change it.
/// Without a name: an empty one.
class RecordedRoot {
  public:
    explicit RecordedRoot(const std::string& name = "") {
        std::string made = std::filesystem::temp_directory_path() / "cyclesoak-root.XXXXXX";
        path_ = mkdtemp(made.data());
        if (!name.empty())
            std::filesystem::copy(std::filesystem::path(TEST_DATA) / "roots" / name, path_,
                                  std::filesystem::copy_options::recursive);
    }
    RecordedRoot(const RecordedRoot&) = delete;
    RecordedRoot& operator=(const RecordedRoot&) = delete;
    ~RecordedRoot() { std::filesystem::remove_all(path_); }

    base::Root root() const { return base::Root(path_); }
    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name) << text;
    }
    void remove(const std::string& name) const { std::filesystem::remove_all(path_ / name); }

  private:
    std::filesystem::path path_;
};
