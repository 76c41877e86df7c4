#include "agent/http_message.h"

#include <memory>
#include <utility>

namespace agent {
namespace {

struct Deleter {
    void operator()(MHD_Response* response) const { MHD_destroy_response(response); }
};
using Response = std::unique_ptr<MHD_Response, Deleter>;

/// A page of ours loads only what is ours, and nobody else shows it.
constexpr auto content_security_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A header that the status asks for.
std::pair<const char*, const char*> header_for(int status) {
    switch (status) {
    case MHD_HTTP_UNAUTHORIZED:
        return {MHD_HTTP_HEADER_WWW_AUTHENTICATE, R"(Basic realm="cyclesoak", charset="UTF-8")"};
    case MHD_HTTP_METHOD_NOT_ALLOWED:
        return {MHD_HTTP_HEADER_ALLOW, "GET, HEAD"};
    case MHD_HTTP_SERVICE_UNAVAILABLE:
        return {MHD_HTTP_HEADER_RETRY_AFTER, "1"};
    default:
        return {};
    }
}

using Body = std::shared_ptr<const std::string>;

void release_body(void* body) { delete static_cast<Body*>(body); }

/// Keeps the body until the last byte of it is sent.
Response make_response(const Reply& reply) {
    static const auto empty = std::make_shared<const std::string>();
    auto body = std::make_unique<Body>(reply.body ? reply.body : empty);
    // The library reads it only.
    auto* text = const_cast<char*>((*body)->data());
    Response response(MHD_create_response_from_buffer_with_free_callback_cls(
        (*body)->size(), text, release_body, body.get()));
    if (!response) return response;
    body.release();
    MHD_add_response_header(response.get(), MHD_HTTP_HEADER_CONTENT_TYPE, reply.type.c_str());
    MHD_add_response_header(response.get(), MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(response.get(), "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response.get(), "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response.get(), "Content-Security-Policy", content_security_policy);
    if (const auto [name, value] = header_for(reply.status); name != nullptr)
        MHD_add_response_header(response.get(), name, value);
    return response;
}

} // namespace

MHD_Result send_reply(MHD_Connection* handle, const Reply& reply) {
    const auto response = make_response(reply);
    if (!response) return MHD_NO;
    return MHD_queue_response(handle, static_cast<unsigned>(reply.status), response.get());
}

Request make_request(MHD_Connection* handle, const char* method, const char* path) {
    const char* authorization =
        MHD_lookup_connection_value(handle, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
    return {method, path, authorization ? std::optional<std::string>(authorization) : std::nullopt};
}

} // namespace agent
