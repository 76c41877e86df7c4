#include "exporters/pushgateway.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <curl/curl.h>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace exporters {
namespace {

constexpr long connect_patience_ms = 3000, patience_ms = 5000;

struct Free {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
    void operator()(CURL* transfer) const { curl_easy_cleanup(transfer); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
    void operator()(char* text) const { curl_free(text); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

template <typename T>
Owned<T> owned(T* made) {
    if (!made) throw std::bad_alloc();
    return Owned<T>(made);
}

/// Empty: there is no such part.
std::string part(CURLU* url, CURLUPart which) {
    char* text = nullptr;
    if (curl_url_get(url, which, &text, 0) != CURLUE_OK) return "";
    return Owned<char>(text).get();
}

/// "/metrics/job/JOB/instance/HOST"
std::string group_path(const std::string& job, const std::string& instance) {
    const auto escaped = [](const std::string& text) {
        return std::string(owned(curl_easy_escape(nullptr, text.c_str(), 0)).get());
    };
    auto path = "/metrics/job/" + escaped(job);
    if (!instance.empty()) path += "/instance/" + escaped(instance);
    return path;
}

/// What a gateway answers, as far as it is worth telling.
size_t keep_some(char* data, size_t /*one*/, size_t bytes, void* to) {
    constexpr size_t most = 200;
    auto& text = *static_cast<std::string*>(to);
    text.append(data, std::min(bytes, most - std::min(most, text.size())));
    return bytes;
}

std::string first_line(const std::string& text) {
    const auto all = base::lines(text);
    std::string line(all.empty() ? "" : base::trim(all.front()));
    std::replace_if(
        line.begin(), line.end(), [](char byte) { return static_cast<unsigned char>(byte) < 32; },
        '?');
    return line;
}

} // namespace

PushTarget::PushTarget(const std::string& url, const std::string& job,
                       const std::string& instance) {
    // A gateway cuts its paths at slashes, escaped ones too.
    for (const auto& text : {job, instance})
        if (text.find('/') != text.npos)
            throw base::UsageError(fmt::format("the name '{}' may not have a slash", text));
    if (job.empty()) throw base::UsageError("a name may not be empty");

    const auto parsed = owned(curl_url());
    const bool valid = curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) == CURLUE_OK;
    const auto scheme = part(parsed.get(), CURLUPART_SCHEME);
    if (!valid || (scheme != "http" && scheme != "https") || url.find_first_of("?#") != url.npos)
        throw base::UsageError(fmt::format("'{}' is not like http://host:9091", url));
    auto path = part(parsed.get(), CURLUPART_PATH);
    path.erase(path.find_last_not_of('/') + 1);
    path += group_path(job, instance);
    curl_url_set(parsed.get(), CURLUPART_PATH, path.c_str(), 0);
    url_ = part(parsed.get(), CURLUPART_URL);
    curl_url_set(parsed.get(), CURLUPART_USER, nullptr, 0);
    curl_url_set(parsed.get(), CURLUPART_PASSWORD, nullptr, 0);
    address_ = part(parsed.get(), CURLUPART_URL);
}

void PushTarget::push(const std::string& metrics) const {
    const auto transfer = owned(curl_easy_init());
    const auto headers =
        owned(curl_slist_append(nullptr, "Content-Type: text/plain; version=0.0.4; charset=utf-8"));
    std::array<char, CURL_ERROR_SIZE> reason{};
    std::string answer;
    const auto set = [&](CURLoption option, auto value) {
        curl_easy_setopt(transfer.get(), option, value);
    };
    set(CURLOPT_URL, url_.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_CUSTOMREQUEST, "PUT");
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_POSTFIELDS, metrics.data());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(metrics.size()));
    set(CURLOPT_CONNECTTIMEOUT_MS, connect_patience_ms);
    set(CURLOPT_TIMEOUT_MS, patience_ms);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_ERRORBUFFER, reason.data());
    set(CURLOPT_WRITEFUNCTION, keep_some);
    set(CURLOPT_WRITEDATA, &answer);

    const auto result = curl_easy_perform(transfer.get());
    if (result != CURLE_OK)
        throw std::runtime_error(fmt::format(
            "{}: {}", address_, reason[0] ? reason.data() : curl_easy_strerror(result)));
    long status = 0;
    curl_easy_getinfo(transfer.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status / 100 != 2)
        throw std::runtime_error(
            fmt::format("{}: HTTP {} {}", address_, status, first_line(answer)));
}

} // namespace exporters
