#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

/// Floating-point numbers with ten digits: the last ones depend on the compiler and the processor.
inline std::string rounded(const std::string& text) {
    static const std::regex number(R"(-?\d+\.\d+(e-?\d+)?)");
    std::string result;
    auto end = text.cbegin();
    for (std::sregex_iterator match(text.begin(), text.end(), number), none; match != none;
         ++match) {
        result.append(end, (*match)[0].first);
        result += fmt::format("{:.10g}", std::stod(match->str()));
        end = (*match)[0].second;
    }
    return result.append(end, text.cend());
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
