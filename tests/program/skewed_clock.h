#pragma once

#include "tests/program/program.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace program {

/// A clock that leaves the CPU's counter when it is told to, for a program started with this
/// environment, which has a state folder of its own.
class SkewedClock {
  public:
    SkewedClock() : folder_(fresh_folder("skewed")) {
        // Where its name has no space: the loader's list is divided by them.
        std::filesystem::create_symlink(SKEWED_CLOCK, folder_ / "skewed_clock.so");
    }
    SkewedClock(const SkewedClock&) = delete;
    SkewedClock& operator=(const SkewedClock&) = delete;
    ~SkewedClock() { std::filesystem::remove_all(folder_); }

    std::map<std::string, std::string> environment() const {
        return {{"XDG_STATE_HOME", folder_},
                {"LD_PRELOAD", folder_ / "skewed_clock.so"},
                {"SKEWED_FROM", trigger()},
                {"ASAN_OPTIONS", "verify_asan_link_order=0"}};
    }
    /// From the moment that this file exists.
    std::filesystem::path trigger() const { return folder_ / "from-now-on"; }
    void skew() const { std::ofstream{trigger()}; }

  private:
    std::filesystem::path folder_;
};

} // namespace program
