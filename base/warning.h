#pragma once

#include <string>
#include <vector>

namespace base {

/// A doubt about a figure, as data in the report: `id` is stable and short ("no-cgroup"),
/// `text` is for people and says what to do.
struct Warning {
    std::string id;
    std::string text;
    bool operator==(const Warning&) const = default;
};

using Warnings = std::vector<Warning>;

} // namespace base
