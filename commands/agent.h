#pragma once

#include "base/signals.h"

#include <functional>

namespace CLI {
class App;
}

namespace commands {

/// `cyclesoak agent`. `arguments`: the whole command line, which is read again on SIGHUP.
std::function<int()> add_agent(CLI::App& program, int argc, char** arguments,
                               const base::OriginalSignals& original);

} // namespace commands
