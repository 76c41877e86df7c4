#pragma once

#include "agent/certificate.h"
#include "tests/agent/http_client.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <memory>
#include <stdexcept>
#include <string>

namespace agent {

inline void expect_tls(int result) {
    if (result < 0) throw std::runtime_error(gnutls_strerror(result));
}

inline std::string take(gnutls_datum_t& datum) {
    std::string text(reinterpret_cast<const char*>(datum.data), datum.size);
    gnutls_free(datum.data);
    return text;
}

/// One that signed itself.
inline Certificate make_certificate(const std::string& name) {
    gnutls_x509_privkey_t key = nullptr;
    expect_tls(gnutls_x509_privkey_init(&key));
    expect_tls(gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA,
                                            GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0));
    gnutls_x509_crt_t certificate = nullptr;
    expect_tls(gnutls_x509_crt_init(&certificate));
    expect_tls(gnutls_x509_crt_set_version(certificate, 3));
    expect_tls(gnutls_x509_crt_set_serial(certificate, "\1", 1));
    expect_tls(gnutls_x509_crt_set_activation_time(certificate, 0));
    expect_tls(gnutls_x509_crt_set_expiration_time(certificate, 0x7fffffff));
    expect_tls(gnutls_x509_crt_set_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0,
                                             name.data(), static_cast<unsigned>(name.size())));
    expect_tls(gnutls_x509_crt_set_key(certificate, key));
    expect_tls(gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0));
    gnutls_datum_t chain{}, secret{};
    expect_tls(gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, &chain));
    expect_tls(gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &secret));
    gnutls_x509_crt_deinit(certificate);
    gnutls_x509_privkey_deinit(key);
    return {take(chain), take(secret)};
}

/// Takes any certificate.
class TlsClient {
  public:
    /// Throws std::runtime_error if there is no handshake.
    explicit TlsClient(const std::string& address, const char* versions = "NORMAL")
        : client_(address) {
        expect_tls(gnutls_certificate_allocate_credentials(&credentials_));
        expect_tls(gnutls_init(&session_, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL));
        expect_tls(gnutls_priority_set_direct(session_, versions, nullptr));
        expect_tls(gnutls_credentials_set(session_, GNUTLS_CRD_CERTIFICATE, credentials_));
        gnutls_transport_set_int(session_, client_.fd());
        const int result = gnutls_handshake(session_);
        if (result < 0) {
            release();
            expect_tls(result);
        }
    }
    TlsClient(const TlsClient&) = delete;
    TlsClient& operator=(const TlsClient&) = delete;
    ~TlsClient() { release(); }

    /// The common name in the server's certificate.
    std::string server_name() const {
        unsigned size = 0;
        const auto* list = gnutls_certificate_get_peers(session_, &size);
        gnutls_x509_crt_t certificate = nullptr;
        expect_tls(gnutls_x509_crt_init(&certificate));
        expect_tls(gnutls_x509_crt_import(certificate, list, GNUTLS_X509_FMT_DER));
        char name[256];
        size_t name_size = sizeof name;
        expect_tls(gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0,
                                                 name, &name_size));
        gnutls_x509_crt_deinit(certificate);
        return {name, name_size};
    }

    void send(const std::string& text) const {
        gnutls_record_send(session_, text.data(), text.size());
    }
    /// Until the other end closes or, if given, until `enough` was received.
    std::string receive(std::string_view enough = {}) const {
        std::string text;
        char piece[65536];
        while (enough.empty() || text.find(enough) == std::string::npos) {
            const auto size = gnutls_record_recv(session_, piece, sizeof piece);
            if (size <= 0) break;
            text.append(piece, static_cast<size_t>(size));
        }
        return text;
    }

  private:
    void release() {
        gnutls_deinit(session_);
        gnutls_certificate_free_credentials(credentials_);
    }

    Client client_;
    gnutls_certificate_credentials_t credentials_ = nullptr;
    gnutls_session_t session_ = nullptr;
};

} // namespace agent
