#pragma once

#include "demand/report.h"

#include <nlohmann/json.hpp>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace exporters {

/// A report as docs/report.md describes it. Seconds and ratios; what is not known is left out.
nlohmann::ordered_json make_json(const demand::Report& report);

/// "schema" and "cyclesoak", with which everything that is written as JSON begins.
nlohmann::ordered_json make_json_head();

/// `json` and a newline. What is not UTF-8, such as a file name in a command, is replaced: it must
/// not cost us the report.
void write_json(std::ostream& out, const nlohmann::ordered_json& json);

/// The report and a newline; several of them as { "schema", "cyclesoak", "runs" }.
void write_json(std::ostream& out, const std::vector<demand::Report>& reports);

/// What write_json wrote: one report, or several. Keys that are not known are skipped. Throws
/// base::ParseError, with `file` and the line where that is known, for text that is no JSON, no
/// report, of a later schema, or that lacks something; nothing is guessed.
std::vector<demand::Report> parse_reports(std::string_view text, const std::string& file);

} // namespace exporters
