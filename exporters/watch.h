#pragma once

#include "soak/window.h"

#include <ostream>
#include <vector>

namespace exporters {

/// What is left of a CPU for others, 0..1: all but what was stolen. The instrument's own time is no
/// load. Noise can take it a little past 1.
double free_ratio(const soak::CpuWindow& window);

/// "System load:  6.4% || Free:  74.4%(0) 100.1%(1)": of all CPUs together, then by CPU.
void write_watch_line(std::ostream& out, const std::vector<soak::CpuWindow>& windows);

/// The same, and a line for each CPU with its causes.
void write_watch_causes(std::ostream& out, const std::vector<soak::CpuWindow>& windows);

/// A report of one window on one line: "schema", "seconds" (`elapsed`, by the kernel's clock) and
/// "cpus" as in any report.
void write_watch_json(std::ostream& out, const std::vector<soak::CpuWindow>& windows,
                      base::Nanoseconds elapsed);

/// Rows as in any report's CSV, without the header; `window` stands in the column "run".
void write_watch_csv(std::ostream& out, const std::vector<soak::CpuWindow>& windows, int window);

} // namespace exporters
