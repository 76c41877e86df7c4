#pragma once

#include "demand/report.h"

#include <ostream>
#include <vector>

namespace exporters {

/// The names of the columns: "run", "row", then keys of a report's cpus, demand and perturbation ("low"
/// and "high" belong to whichever figure the row has).
void write_csv_header(std::ostream& out);

/// One row a CPU ("cpu"), one a demand ("demand") and one for the perturbation. What a row does not
/// have, or is not known, is an empty field. `run` counts from 1.
void write_csv_rows(std::ostream& out, const demand::Report& report, int run = 1);

/// Header and rows of one or several runs.
void write_csv(std::ostream& out, const std::vector<demand::Report>& reports);

} // namespace exporters
