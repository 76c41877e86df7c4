#include "base/error.h"

#include <fmt/format.h>

namespace base {

ParseError::ParseError(const std::string& file, int line, const std::string& what)
    : std::runtime_error(line > 0 ? fmt::format("{}:{}: {}", file, line, what)
                                  : fmt::format("{}: {}", file, what)) {}

} // namespace base
