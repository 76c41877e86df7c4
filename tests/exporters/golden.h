#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

/// Floating-point numbers with ten digits: the last ones depend on the compiler and the processor.
inline std::string rounded(const std::string& text) {
    constexpr auto digits = "0123456789";
    std::string result;
    for (size_t at = 0; at < text.size();) {
        const auto number = std::min(text.find_first_of(digits, at), text.size());
        result.append(text, at, number - at);
        double value = 0;
        const char* begin = text.data() + number;
        const auto end = std::from_chars(begin, text.data() + text.size(), value).ptr;
        const std::string token(begin, end);
        const bool fraction = token.find('.') < token.size() - 1; // and no full stop
        result += fraction ? fmt::format("{:.10g}", value) : token;
        at = number + token.size();
    }
    return result;
}

/// Compares with tests/data/golden/NAME; with UPDATE_GOLDEN set, writes it instead.
inline void expect_golden(const std::string& name, const std::string& text) {
    const std::string path = std::string(TEST_DATA) + "/golden/" + name;
    if (std::getenv("UPDATE_GOLDEN")) {
        std::ofstream(path) << text;
        return;
    }
    std::ostringstream wanted;
    wanted << std::ifstream(path).rdbuf();
    EXPECT_EQ(text, wanted.str()) << "with UPDATE_GOLDEN=1 this becomes the new " << name;
}

/// Metrics without this program's version, which is in them once.
inline std::string without_version(std::string metrics) {
    const std::string version = "version=\"" CYCLESOAK_VERSION "\"";
    const auto at = metrics.find(version);
    if (at == metrics.npos) throw std::runtime_error("no version in the metrics");
    return metrics.replace(at, version.size(), "version=\"VERSION\"");
}
