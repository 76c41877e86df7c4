#pragma once

#include "commands/options.h"
#include "demand/report.h"

#include <functional>
#include <ostream>
#include <vector>

namespace commands {

/// What `write` makes of the chosen format, on stdout; with --output in that file (a table is not for
/// files: JSON then), and the table on stdout. False, after an error on stderr, if either could not
/// be written: the other has its part all the same.
bool write_output(const OutputOptions& options,
                  const std::function<void(std::ostream&, Format)>& write);

bool write_reports(const std::vector<demand::Report>& reports, const OutputOptions& options);

/// Is there a figure, and none of the doubts that make figures worthless? If not, stderr says why.
bool trusted(const demand::Report& report);

} // namespace commands
