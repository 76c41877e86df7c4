#pragma once

#include "demand/peer.h"
#include "demand/totals.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace exporters {

/// What an agent has counted, as docs/agent-api.md describes it, and a newline. `now`:
/// CLOCK_MONOTONIC_RAW when it answers.
std::string make_totals(const demand::Totals& totals, base::Nanoseconds now);

/// The head of every answer and what the host is like, with the sum of its CPUs as `since_start`:
/// all but single CPUs, devices and windows.
nlohmann::ordered_json make_summary(const demand::Totals& totals, base::Nanoseconds now);

/// As text, and a newline.
std::string write_answer(const nlohmann::ordered_json& answer);

/// Its latest windows, one by one.
std::string make_windows(const demand::Totals& totals, base::Nanoseconds now);

/// What make_totals and make_windows wrote. Keys that are not known are skipped. Throws
/// base::ParseError, with `source` in the place of a file, for text that is no JSON, nothing of an
/// agent, of a later schema, or that lacks something.
demand::PeerReading parse_totals(std::string_view text, const std::string& source);
demand::PeerReading parse_windows(std::string_view text, const std::string& source);

} // namespace exporters
