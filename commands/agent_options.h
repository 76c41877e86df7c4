#pragma once

#include "base/time.h"
#include "commands/options.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace commands {

/// What the agent understands, on its command line or in its configuration file.
struct AgentOptions {
    InstrumentOptions instrument;
    std::string duty = "1%";
    std::string window = "20ms";
    std::vector<std::string> listen{"127.0.0.1:12001"};
    std::optional<std::string> tls_cert, tls_key; ///< files, both or none
    std::optional<std::string> users;             ///< file of "name:bcrypt hash" lines
    std::optional<std::string> textfile;
    std::optional<bool> per_cpu; ///< absent: as the number of CPUs suggests
    std::string config;          ///< file; empty: none
    bool quiet = false;
};

/// For help and for parsing; what read_agent_options() complains of is not checked yet.
void add_agent_options(CLI::App& command, AgentOptions& options);

/// From `words`, what stands behind `agent` on the command line, and from the file that --config
/// names, read anew: a NAME=VALUE a line in CLI11's format, without the dashes; no sections; lists
/// as ["a", "b"]; quotes around what has spaces, brackets or commas. The command line wins. Throws
/// base::UsageError with file, option and what it accepts.
AgentOptions read_agent_options(const std::vector<std::string>& words);

/// "1%" or "0.01": 0.001 to 0.5, or "100%" for 1. Throws base::UsageError.
double parse_duty(std::string_view text);

/// 10ms to 1s. Throws base::UsageError.
base::Nanoseconds parse_window(std::string_view text);

} // namespace commands
