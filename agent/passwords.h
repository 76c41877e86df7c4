#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace agent {

/// A bcrypt hash for each name.
using Passwords = std::map<std::string, std::string>;

/// Lines of "name:hash" as `htpasswd -B` writes them; blank ones and those that begin with # mean
/// nothing. Costs above 14 (about a second for each new password) are refused. Throws
/// base::ParseError with `file` and line.
Passwords parse_passwords(std::string_view text, const std::string& file);

/// Throws base::ParseError, or std::runtime_error if the file cannot be read.
Passwords read_passwords(const std::string& file);

/// Takes as long for a name that is not there as for one that is.
bool is_right(const Passwords& passwords, const std::string& name_and_password);

/// "name:password" of an Authorization header, RFC 7617; nullopt: it is none or malformed.
std::optional<std::string> parse_basic_authorization(std::string_view header);

} // namespace agent
