#include "agent/passwords.h"

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <crypt.h>
#include <gnutls/gnutls.h>
#include <memory>
#include <strings.h>

namespace agent {
namespace {

constexpr size_t hash_size = 60; // "$2y$05$", 22 characters of salt and 31 of the hash
constexpr int64_t highest_cost = 14;

bool is_base64(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '/';
}

bool is_bcrypt(std::string_view hash) {
    return hash.size() == hash_size && hash.starts_with("$2") &&
           (hash[2] == 'a' || hash[2] == 'b' || hash[2] == 'y') && hash[3] == '$' &&
           hash[6] == '$' && std::all_of(hash.begin() + 7, hash.end(), is_base64);
}

/// What is wrong with a line's parts; nullptr: nothing.
const char* complaint_about(std::string_view name, std::string_view hash) {
    if (name.empty()) return "no name before the colon";
    if (!is_bcrypt(hash)) return "not a bcrypt hash, as `htpasswd -B` writes it";
    const auto cost = base::parse_integer(hash.substr(4, 2));
    if (!cost || *cost < 4 || *cost > highest_cost) return "bcrypt's cost must be 4 to 14";
    return nullptr;
}

} // namespace

Passwords parse_passwords(std::string_view text, const std::string& file) {
    Passwords passwords;
    int number = 0;
    for (const auto whole : base::lines(text)) {
        ++number;
        const auto line = base::trim(whole);
        if (line.empty() || line.starts_with('#')) continue;
        const auto colon = line.find(':');
        if (colon == line.npos) throw base::ParseError(file, number, "not NAME:HASH");
        const auto name = line.substr(0, colon), hash = line.substr(colon + 1);
        if (const auto* complaint = complaint_about(name, hash))
            throw base::ParseError(file, number, complaint);
        if (!passwords.emplace(name, hash).second)
            throw base::ParseError(file, number, fmt::format("{} has a password already", name));
    }
    return passwords;
}

Passwords read_passwords(const std::string& file) {
    const auto text = base::read_file(file);
    if (!text) throw std::runtime_error("cannot read " + file);
    return parse_passwords(*text, file);
}

bool is_right(const Passwords& passwords, const std::string& name_and_password) {
    const auto colon = name_and_password.find(':');
    if (colon == std::string::npos || passwords.empty()) return false;
    const auto found = passwords.find(name_and_password.substr(0, colon));
    const bool known = found != passwords.end();
    const auto& hash = known ? found->second : passwords.begin()->second;
    const auto data = std::make_unique<crypt_data>();
    const char* result = crypt_r(name_and_password.c_str() + colon + 1, hash.c_str(), data.get());
    return result != nullptr && std::string_view(result).size() == hash.size() &&
           gnutls_memcmp(result, hash.data(), hash.size()) == 0 && known;
}

std::optional<std::string> parse_basic_authorization(std::string_view header) {
    constexpr std::string_view scheme = "Basic ";
    if (header.size() < scheme.size() ||
        strncasecmp(header.data(), scheme.data(), scheme.size()) != 0)
        return std::nullopt;
    std::string encoded(base::trim(header.substr(scheme.size())));
    const gnutls_datum_t from{reinterpret_cast<unsigned char*>(encoded.data()),
                              static_cast<unsigned>(encoded.size())};
    gnutls_datum_t to{};
    if (gnutls_base64_decode2(&from, &to) < 0) return std::nullopt;
    std::string decoded(reinterpret_cast<const char*>(to.data), to.size);
    gnutls_free(to.data);
    // What stands behind a zero would not be looked at.
    if (decoded.find(':') == std::string::npos || decoded.find('\0') != std::string::npos)
        return std::nullopt;
    return decoded;
}

} // namespace agent
