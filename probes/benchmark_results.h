#pragma once

#include "base/work.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace probes {

/// What a benchmark says of its own run.
struct BenchmarkResults {
    base::Work work;
    /// CPU use by its own account, in CPUs (1: one CPU all the time), by the tool's own names.
    std::map<std::string, double> cpu_ratios;
};

/// Reads what a benchmark printed on stdout. The parser is the one named `parser`, or else the one
/// for the command: the program's name, looked for behind wrappers such as sudo, env or taskset.
/// nullopt if that is no tool we know. Throws base::UsageError for an unknown `parser`,
/// base::ParseError (tool, line, and what to do) if a known tool's text cannot be used.
std::optional<BenchmarkResults> parse_results(const std::vector<std::string>& arguments,
                                              std::string_view text,
                                              const std::optional<std::string>& parser = {});

/// Throws base::UsageError if there is no such parser.
void require_parser(const std::string& name);

} // namespace probes
