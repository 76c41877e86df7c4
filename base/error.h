#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace base {

/// Text that is not what it should be: says where. `line` counts from 1; 0: the text as a whole.
class ParseError : public std::runtime_error {
  public:
    ParseError(const std::string& file, int line, const std::string& what);
};

/// The user asked for something that cannot be; ends the program with exit code 2.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A system call failed: errno with what was tried, for example "open /proc/stat".
inline std::system_error system_error(const std::string& tried, int error = errno) {
    return {error, std::system_category(), tried};
}

} // namespace base
