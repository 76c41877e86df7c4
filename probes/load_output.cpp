#include "probes/load_output.h"

#include "base/error.h"
#include "probes/json_output.h"

namespace probes {
namespace {

const std::string tool = "cyclesoak load";

} // namespace

BenchmarkResults parse_load_output(std::string_view text) {
    const auto json = parse_json_output(text, tool, "run it with --format json");
    if (!json.contains("kind") || require_number(json, "/schema", tool) != 1)
        throw base::ParseError(tool, 0, "not a result of schema 1");
    BenchmarkResults results;
    const double seconds = require_number(json, "/seconds", tool);
    results.work = {.source = tool,
                    .seconds = seconds,
                    .bytes = find_number(json, "/bytes", tool),
                    .packets = find_number(json, "/packets", tool),
                    .transactions = find_number(json, "/transactions", tool),
                    .units = {}};
    const auto spent = json.value("cpu_seconds", nlohmann::json::object());
    if (seconds > 0 && spent.is_object())
        for (const auto& [end, value] : spent.items())
            if (value.is_number()) results.cpu_ratios[end] = value.get<double>() / seconds;
    return results;
}

} // namespace probes
