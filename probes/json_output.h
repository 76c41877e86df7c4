#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace probes {

/// The JSON object in what `tool` printed: the first line that begins with a brace begins it, other
/// text may stand before and after. Throws base::ParseError with the line; `advice` tells what to
/// do if there is no object at all.
nlohmann::json parse_json_output(std::string_view text, const std::string& tool,
                                 const std::string& advice);

/// The number at a path such as "/end/sum/bytes". Throws base::ParseError naming the path.
double require_number(const nlohmann::json& json, const std::string& path, const std::string& tool);

/// nullopt if there is nothing at the path. Throws base::ParseError if it is no number.
std::optional<double> find_number(const nlohmann::json& json, const std::string& path,
                                  const std::string& tool);

} // namespace probes
