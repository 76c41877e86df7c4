#pragma once

#include "base/signals.h"

#include <functional>

namespace CLI {
class App;
}

namespace commands {

/// Adds `watch`, and its options to `program` itself (hidden), which without a command watches.
/// What is returned runs until Ctrl-C and returns the exit code.
std::function<int()> add_watch(CLI::App& program, const base::OriginalSignals& original);

} // namespace commands
