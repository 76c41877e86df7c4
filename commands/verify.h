#pragma once

#include "base/signals.h"

#include <functional>

namespace CLI {
class App;
}

namespace commands {

/// `cyclesoak verify`: loads of known cost, and what the instrument makes of them here.
std::function<int()> add_verify(CLI::App& program, const base::OriginalSignals& original);

} // namespace commands
