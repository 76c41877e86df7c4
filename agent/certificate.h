#pragma once

#include <string>

namespace agent {

/// What a TLS server shows, as PEM text.
struct Certificate {
    std::string chain; ///< its own certificate first
    std::string key;
    bool operator==(const Certificate&) const = default;
};

/// Throws std::runtime_error with the file that cannot be read.
Certificate read_certificate(const std::string& chain_file, const std::string& key_file);

/// Throws std::runtime_error with the file if one of them is no PEM, is protected by a password, or
/// if the key is another certificate's.
void check_certificate(const Certificate& certificate, const std::string& chain_file,
                       const std::string& key_file);

} // namespace agent
