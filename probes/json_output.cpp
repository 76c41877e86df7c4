#include "probes/json_output.h"

#include "base/error.h"

#include <algorithm>
#include <sstream>

namespace probes {
namespace {

size_t find_object(std::string_view text) {
    if (text.starts_with('{')) return 0;
    const auto newline = text.find("\n{");
    return newline == text.npos ? newline : newline + 1;
}

} // namespace

nlohmann::json parse_json_output(std::string_view text, const std::string& tool,
                                 const std::string& advice) {
    const size_t start = find_object(text);
    if (start == text.npos) throw base::ParseError(tool, 0, "printed no JSON: " + advice);
    // Reading from a stream stops behind the object; parse() would refuse what follows it.
    std::istringstream stream{std::string(text.substr(start))};
    try {
        nlohmann::json json;
        stream >> json;
        return json;
    } catch (const nlohmann::json::parse_error& error) {
        const auto read = std::min(text.size(), start + error.byte);
        const auto before = text.substr(0, read > 0 ? read - 1 : 0);
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        throw base::ParseError(tool, static_cast<int>(line), "its JSON breaks off or is damaged");
    }
}

std::optional<double> find_number(const nlohmann::json& json, const std::string& path,
                                  const std::string& tool) {
    const nlohmann::json::json_pointer pointer(path);
    if (!json.contains(pointer)) return std::nullopt;
    const auto& value = json.at(pointer);
    if (!value.is_number()) throw base::ParseError(tool, 0, path + " is not a number");
    return value.get<double>();
}

double require_number(const nlohmann::json& json, const std::string& path,
                      const std::string& tool) {
    const auto number = find_number(json, path, tool);
    if (!number) throw base::ParseError(tool, 0, "its JSON has no " + path);
    return *number;
}

} // namespace probes
