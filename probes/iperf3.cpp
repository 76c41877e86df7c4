#include "probes/iperf3.h"

#include "base/error.h"
#include "probes/json_output.h"

#include <algorithm>

namespace probes {
namespace {

const std::string tool = "iperf3";

/// Adds the receiver's sum of one direction.
void add_received(base::Work& work, const nlohmann::json& json, const std::string& sum) {
    const auto at = [&](const char* key) { return require_number(json, sum + key, tool); };
    work.bytes = work.bytes.value_or(0) + at("/bytes");
    work.seconds = std::max(work.seconds.value_or(0), at("/seconds"));
    if (json.contains(nlohmann::json::json_pointer(sum + "/packets")))
        work.packets = work.packets.value_or(0) + at("/packets") - at("/lost_packets");
}

void require_success(const nlohmann::json& json) {
    const auto error = json.find("error");
    if (error == json.end()) return;
    throw base::ParseError(tool, 0, error->is_string() ? error->get<std::string>() : error->dump());
}

} // namespace

BenchmarkResults parse_iperf3(std::string_view text) {
    const auto json = parse_json_output(text, tool, "run it with -J (--json)");
    require_success(json);
    BenchmarkResults results;
    results.work.source = tool;
    add_received(results.work, json, "/end/sum_received");
    const std::string reverse = "/end/sum_received_bidir_reverse";
    if (json.contains(nlohmann::json::json_pointer(reverse)))
        add_received(results.work, json, reverse);
    results.work.complete = find_number(json, "/start/test_start/omit", tool).value_or(0) == 0;
    for (const std::string end : {"host", "remote"}) {
        const auto percent =
            find_number(json, "/end/cpu_utilization_percent/" + end + "_total", tool);
        if (percent) results.cpu_ratios[end] = *percent / 100;
    }
    return results;
}

} // namespace probes
