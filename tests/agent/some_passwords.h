#pragma once

#include <crypt.h>
#include <gnutls/gnutls.h>
#include <memory>
#include <string>

namespace agent {

/// At the lowest cost, or at another: "10".
inline std::string bcrypt(const std::string& password, const std::string& cost = "04") {
    const auto data = std::make_unique<crypt_data>();
    const auto setting = "$2y$" + cost + "$abcdefghijklmnopqrstuu";
    return crypt_r(password.c_str(), setting.c_str(), data.get());
}

inline std::string base64(const std::string& text) {
    const gnutls_datum_t from{reinterpret_cast<unsigned char*>(const_cast<char*>(text.data())),
                              static_cast<unsigned>(text.size())};
    gnutls_datum_t to{};
    gnutls_base64_encode2(&from, &to);
    std::string encoded(reinterpret_cast<const char*>(to.data), to.size);
    gnutls_free(to.data);
    return encoded;
}

/// A header's line.
inline std::string authorization(const std::string& name_and_password) {
    return "Authorization: Basic " + base64(name_and_password) + "\r\n";
}

} // namespace agent
