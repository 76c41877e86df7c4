#pragma once

#include "demand/report.h"

#include <nlohmann/json.hpp>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace exporters {

/// { "schema", "cyclesoak" }: how every JSON text of ours begins.
nlohmann::ordered_json make_json_head();

/// A JSON text of ours, `what` ("a report") it should be. Throws base::ParseError, with `file` and
/// the line where that is known, for text that is no JSON, none of ours or of a later schema.
nlohmann::ordered_json parse_document(std::string_view text, const std::string& file,
                                      const std::string& what);

/// A report as docs/report.md describes it. Seconds and ratios; what is not known is left out.
nlohmann::ordered_json make_json(const demand::Report& report);

/// The report and a newline; several of them as { "schema", "cyclesoak", "runs" }.
void write_json(std::ostream& out, const std::vector<demand::Report>& reports);

/// What write_json wrote: one report, or several. Keys that are not known are skipped. Throws
/// base::ParseError as parse_document does, also where something is lacking; nothing is guessed.
std::vector<demand::Report> parse_reports(std::string_view text, const std::string& file);

} // namespace exporters
