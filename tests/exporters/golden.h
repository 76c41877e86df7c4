#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

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
