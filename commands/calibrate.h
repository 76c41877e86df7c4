#pragma once

#include "base/signals.h"

#include <functional>

namespace CLI {
class App;
}

namespace commands {

/// Adds `calibrate`. What is returned calibrates, stores, prints, and returns the exit code.
std::function<int()> add_calibrate(CLI::App& program, const base::OriginalSignals& original);

} // namespace commands
