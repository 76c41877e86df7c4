#include "probes/benchmark_results.h"

#include "base/error.h"
#include "probes/iperf3.h"
#include "probes/load_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace probes {
namespace {

struct Parser {
    std::string_view tool;
    BenchmarkResults (*parse)(std::string_view text);
};

constexpr Parser parsers[] = {{"iperf3", parse_iperf3}, {"cyclesoak", parse_load_output}};

/// Programs that run the program named somewhere behind their options.
constexpr std::array<std::string_view, 13> wrappers = {
    "chrt", "env",    "ip",   "ionice",  "nice",    "nohup",  "numactl",
    "perf", "stdbuf", "sudo", "taskset", "timeout", "unshare"};

const Parser* find_parser(std::string_view tool) {
    const auto* found = std::find_if(std::begin(parsers), std::end(parsers),
                                     [&](const auto& parser) { return parser.tool == tool; });
    return found == std::end(parsers) ? nullptr : found;
}

const Parser* find_parser(const std::vector<std::string>& arguments) {
    for (const auto& argument : arguments) {
        const std::string name = std::filesystem::path(argument).filename();
        if (const auto* parser = find_parser(name)) return parser;
        const bool first = &argument == &arguments.front();
        if (first && std::find(wrappers.begin(), wrappers.end(), name) == wrappers.end()) break;
    }
    return nullptr;
}

} // namespace

std::optional<BenchmarkResults> parse_results(const std::vector<std::string>& arguments,
                                              std::string_view text,
                                              const std::optional<std::string>& name) {
    if (name) require_parser(*name);
    const auto* parser = name ? find_parser(*name) : find_parser(arguments);
    if (!parser) return std::nullopt;
    return parser->parse(text);
}

void require_parser(const std::string& name) {
    if (find_parser(name)) return;
    std::string known;
    for (const auto& parser : parsers)
        known += fmt::format(" {}", parser.tool);
    throw base::UsageError(fmt::format("--parser {}: not one of{}", name, known));
}

} // namespace probes
