#include "agent/certificate.h"

#include "base/files.h"

#include <fmt/format.h>

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <memory>
#include <stdexcept>

namespace agent {
namespace {

std::string read_text(const std::string& file) {
    auto text = base::read_file(file);
    if (!text) throw std::runtime_error("cannot read " + file);
    return std::move(*text);
}

gnutls_datum_t datum(const std::string& text) {
    // The library reads it only.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
    return {data, static_cast<unsigned>(text.size())};
}

void expect(int result, const std::string& what) {
    if (result < 0) throw std::runtime_error(fmt::format("{}: {}", what, gnutls_strerror(result)));
}

void check_chain(const std::string& text, const std::string& file) {
    const auto pem = datum(text);
    gnutls_x509_crt_t* list = nullptr;
    unsigned size = 0;
    expect(gnutls_x509_crt_list_import2(&list, &size, &pem, GNUTLS_X509_FMT_PEM, 0),
           "no certificate in " + file);
    for (unsigned i = 0; i < size; ++i)
        gnutls_x509_crt_deinit(list[i]);
    gnutls_free(list);
}

void check_key(const std::string& text, const std::string& file) {
    const auto pem = datum(text);
    gnutls_privkey_t key = nullptr;
    expect(gnutls_privkey_init(&key), "keys");
    const std::unique_ptr<gnutls_privkey_st, decltype(&gnutls_privkey_deinit)> owner(
        key, gnutls_privkey_deinit);
    expect(gnutls_privkey_import_x509_raw(key, &pem, GNUTLS_X509_FMT_PEM, nullptr, 0),
           "no usable key in " + file);
}

} // namespace

Certificate read_certificate(const std::string& chain_file, const std::string& key_file) {
    return {read_text(chain_file), read_text(key_file)};
}

void check_certificate(const Certificate& certificate, const std::string& chain_file,
                       const std::string& key_file) {
    check_chain(certificate.chain, chain_file);
    check_key(certificate.key, key_file);
    gnutls_certificate_credentials_t credentials = nullptr;
    expect(gnutls_certificate_allocate_credentials(&credentials), "certificates");
    const std::unique_ptr<gnutls_certificate_credentials_st,
                          decltype(&gnutls_certificate_free_credentials)>
        owner(credentials, gnutls_certificate_free_credentials);
    const auto chain = datum(certificate.chain), key = datum(certificate.key);
    expect(gnutls_certificate_set_x509_key_mem2(credentials, &chain, &key, GNUTLS_X509_FMT_PEM,
                                                nullptr, 0),
           fmt::format("{} and {} do not fit", chain_file, key_file));
}

} // namespace agent
