#pragma once

#include "base/signals.h"

#include <functional>

namespace CLI {
class App;
}

namespace commands {

/// Adds `run`. What is returned measures, writes the report and returns the exit code.
std::function<int()> add_run(CLI::App& program, const base::OriginalSignals& original);

} // namespace commands
