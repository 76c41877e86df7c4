#pragma once

#include "base/files.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>

inline void collect_keys(const nlohmann::ordered_json& json, std::set<std::string>& keys) {
    // In these the keys are names that others gave.
    static const std::set<std::string> free_names{"settings", "cpu_ratios",        "units",
                                                  "host",     "windows_discarded", "apportioned"};
    for (const auto& [key, value] : json.items()) {
        if (json.is_object()) keys.insert(key);
        if (value.is_structured() && !free_names.contains(key)) collect_keys(value, keys);
    }
}

inline std::set<std::string> keys_of(const nlohmann::ordered_json& json) {
    std::set<std::string> keys;
    collect_keys(json, keys);
    return keys;
}

/// Does that file of docs/ explain every key?
inline void expect_documented(const nlohmann::ordered_json& json,
                              const std::string& file = "report.md") {
    const auto doc = base::read_file(std::string(TEST_DATA) + "/../../docs/" + file);
    ASSERT_TRUE(doc);
    for (const std::string& key : keys_of(json))
        EXPECT_TRUE(doc->find("`" + key + "`") != std::string::npos ||
                    doc->find("." + key + "`") != std::string::npos)
            << key;
}
