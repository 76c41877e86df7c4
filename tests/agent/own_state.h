#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace agent {

/// A folder in which calibrations are kept for as long as this lives, instead of the user's.
class OwnState {
  public:
    OwnState() {
        std::string made = std::filesystem::temp_directory_path() / "cyclesoak-agent.XXXXXX";
        path_ = mkdtemp(made.data());
        setenv("XDG_STATE_HOME", path_.c_str(), 1);
    }
    OwnState(const OwnState&) = delete;
    OwnState& operator=(const OwnState&) = delete;
    ~OwnState() { std::filesystem::remove_all(path_); }

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

} // namespace agent
