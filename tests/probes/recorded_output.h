#pragma once

#include "base/files.h"

#include <filesystem>
#include <string>

/// What a benchmark printed: a recording of tests/data/benchmarks without its first line, the
/// command ("$ iperf3 ..."), and its last, the exit status.
inline std::string read_recorded_output(const std::string& name) {
    const auto path = std::filesystem::path(TEST_DATA) / "benchmarks" / name;
    std::string text = base::read_file(path).value();
    text.erase(0, text.find('\n') + 1);
    text.erase(text.rfind("exit status: "));
    return text;
}
