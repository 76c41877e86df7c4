#pragma once

#include <span>
#include <string_view>

namespace page {

/// A file of the agent's page, which is served at `path`.
struct Asset {
    std::string_view path, type, text;
};

/// The page itself, at "/", and all that it loads. Embedded when the program is built.
std::span<const Asset> assets();

} // namespace page
