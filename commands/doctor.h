#pragma once

#include "base/signals.h"

#include <functional>

namespace CLI {
class App;
}

namespace commands {

/// Adds `doctor`. What is returned looks, measures for a few seconds, prints, and returns the exit
/// code: findings are no failure.
std::function<int()> add_doctor(CLI::App& program, const base::OriginalSignals& original);

} // namespace commands
