#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace commands {

/// Adds `load` and its kinds. What is returned runs it, after parsing and if it was named, and
/// returns the exit code; it throws base::UsageError before anything was started, and whatever
/// else loads throw.
std::function<int()> add_load(CLI::App& program);

} // namespace commands
