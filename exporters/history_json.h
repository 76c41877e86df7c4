#pragma once

#include "demand/history.h"

#include <string>

namespace exporters {

/// An agent's last hour, and how far to trust it, as docs/agent-api.md describes it, and a newline:
/// all that a page about it shows. `now`: CLOCK_MONOTONIC_RAW when it answers.
std::string make_history(const demand::History::Steps& steps, const demand::Totals& totals,
                         base::Nanoseconds now);

} // namespace exporters
