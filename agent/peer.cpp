#include "agent/peer.h"

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <curl/curl.h>
#include <fcntl.h>
#include <new>

namespace agent {
namespace {

using base::Nanoseconds;

// ---- the address

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

/// A part of the URL; empty: it has none.
std::string part(const Url& url, CURLUPart which) {
    char* text = nullptr;
    if (curl_url_get(url.get(), which, &text, 0) != CURLUE_OK) return "";
    const std::unique_ptr<char, decltype(&curl_free)> owner(text, curl_free);
    return text;
}

std::string parse_url(const std::string& address) {
    const Url url(curl_url(), curl_url_cleanup);
    const bool has_scheme = address.find("://") != std::string::npos;
    const auto result = curl_url_set(url.get(), CURLUPART_URL,
                                     (has_scheme ? address : "http://" + address).c_str(), 0);
    if (!part(url, CURLUPART_USER).empty() || !part(url, CURLUPART_PASSWORD).empty())
        throw base::UsageError("--peer: everybody on this machine can read a command line; a name "
                               "and a password belong in a file, see --peer-password-file");
    const std::string scheme = part(url, CURLUPART_SCHEME), path = part(url, CURLUPART_PATH);
    const bool more = path != "/" || !part(url, CURLUPART_QUERY).empty() ||
                      !part(url, CURLUPART_FRAGMENT).empty();
    const auto port = base::parse_integer(part(url, CURLUPART_PORT));
    if (result != CURLUE_OK || (scheme != "http" && scheme != "https") || more || !port ||
        *port == 0)
        throw base::UsageError(fmt::format("--peer: '{}' is not like host:12001, [::1]:12001 or "
                                           "https://host:12001",
                                           address));
    std::string text = part(url, CURLUPART_URL);
    text.resize(text.find_last_not_of('/') + 1);
    return text;
}

std::string read_password(const std::string& file) {
    const auto text = base::read_file(file);
    if (!text) throw base::UsageError(fmt::format("--peer-password-file: cannot read {}", file));
    const auto lines = base::lines(*text);
    const std::string line(lines.empty() ? "" : base::trim(lines.front()));
    if (const auto colon = line.find(':'); colon == 0 || colon == line.npos)
        throw base::UsageError(fmt::format(
            "--peer-password-file: the first line of {} is not like name:password", file));
    return line;
}

// ---- libcurl calls back

struct Answer {
    std::string body;
    size_t bytes = 0, most = 0; ///< headers included
};

size_t take(Answer& answer, size_t size) {
    answer.bytes += size;
    return answer.bytes <= answer.most ? size : 0; // 0 ends it
}

size_t take_header(const char*, size_t, size_t size, void* answer) {
    return take(*static_cast<Answer*>(answer), size);
}

size_t take_body(const char* data, size_t, size_t size, void* to) {
    auto& answer = *static_cast<Answer*>(to);
    const size_t taken = take(answer, size);
    answer.body.append(data, taken);
    return taken;
}

/// A benchmark that is started later is not to inherit it.
int close_on_exec(void*, curl_socket_t fd, curlsocktype) {
    return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
}

struct Global {
    Global() { curl_global_init(CURL_GLOBAL_DEFAULT); }
    ~Global() { curl_global_cleanup(); }
};

/// Not before it is wanted: it takes a while.
CURLM* make_multi() {
    static const Global global;
    return curl_multi_init();
}

long milliseconds(Nanoseconds time) {
    return static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(time).count());
}

template <typename Value>
void set(CURL* easy, CURLoption option, Value value) {
    const auto result = curl_easy_setopt(easy, option, value);
    if (result != CURLE_OK) throw PeerError(curl_easy_strerror(result));
}

} // namespace

struct Peer::Parts {
    explicit Parts(PeerAccess given) : access(std::move(given)) {
        if (!easy || !multi) throw std::bad_alloc();
        set_up();
    }

    void set_up() {
        set(easy.get(), CURLOPT_PROTOCOLS_STR, "http,https");
        set(easy.get(), CURLOPT_FOLLOWLOCATION, 0L);
        set(easy.get(), CURLOPT_NOPROXY, "*");
        set(easy.get(), CURLOPT_NOSIGNAL, 1L);
        set(easy.get(), CURLOPT_QUICK_EXIT, 1L); // a resolver that hangs is not waited for
        set(easy.get(), CURLOPT_DNS_CACHE_TIMEOUT, -1L);
        set(easy.get(), CURLOPT_CONNECTTIMEOUT_MS, milliseconds(access.limits.connect));
        set(easy.get(), CURLOPT_TIMEOUT_MS, milliseconds(access.limits.whole));
        set(easy.get(), CURLOPT_USERAGENT, "cyclesoak/" CYCLESOAK_VERSION);
        set(easy.get(), CURLOPT_SOCKOPTFUNCTION, &close_on_exec);
        set(easy.get(), CURLOPT_HEADERFUNCTION, &take_header);
        set(easy.get(), CURLOPT_HEADERDATA, &answer);
        set(easy.get(), CURLOPT_WRITEFUNCTION, &take_body);
        set(easy.get(), CURLOPT_WRITEDATA, &answer);
        set(easy.get(), CURLOPT_ERRORBUFFER, error.data());
        if (access.ca) set(easy.get(), CURLOPT_CAINFO, access.ca->c_str());
        if (access.password) {
            set(easy.get(), CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
            set(easy.get(), CURLOPT_USERPWD, access.password->c_str());
        }
    }

    void begin(const std::string& path) {
        answer = {.body = {}, .most = access.limits.bytes};
        error.front() = '\0';
        set(easy.get(), CURLOPT_URL, (access.url + path).c_str());
        curl_multi_add_handle(multi.get(), easy.get());
    }

    /// How it ended; nullopt: it goes on.
    std::optional<CURLcode> go_on() {
        int running = 0, left = 0;
        curl_multi_perform(multi.get(), &running);
        if (const CURLMsg* message = curl_multi_info_read(multi.get(), &left))
            return message->data.result;
        curl_multi_poll(multi.get(), nullptr, 0, 50, nullptr);
        return {};
    }

    std::string result(CURLcode code) const {
        if (code == CURLE_OPERATION_TIMEDOUT)
            throw PeerError(fmt::format("it did not answer in time ({})", error.data()));
        if (answer.bytes > answer.most)
            throw PeerError(fmt::format("its answer is longer than {} bytes", answer.most));
        if (code != CURLE_OK)
            throw PeerError(error.front() != '\0' ? error.data() : curl_easy_strerror(code));
        long status = 0;
        curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
        if (status == 401)
            throw PeerError(fmt::format("it refuses us {} (HTTP status 401), see "
                                        "--peer-password-file",
                                        access.password ? "with this name and password"
                                                        : "without a name and password"));
        if (status != 200) throw PeerError(fmt::format("it answered with HTTP status {}", status));
        return answer.body;
    }

    // Cleaned up in the opposite order.
    PeerAccess access;
    Answer answer;
    std::array<char, CURL_ERROR_SIZE> error{};
    std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi{make_multi(), curl_multi_cleanup};
    std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy{curl_easy_init(), curl_easy_cleanup};
};

PeerAccess read_peer_access(const std::string& address, const std::optional<std::string>& ca,
                            const std::optional<std::string>& password_file) {
    PeerAccess access{.address = address, .url = parse_url(address), .ca = ca};
    if (ca && !base::read_file(*ca))
        throw base::UsageError(fmt::format("--peer-ca: cannot read {}", *ca));
    if (password_file) access.password = read_password(*password_file);
    return access;
}

Peer::Peer(const PeerAccess& access) : parts_(std::make_unique<Parts>(access)) {}

Peer::~Peer() = default;

std::optional<std::string> Peer::fetch(const std::string& path, base::Loop& loop) {
    parts_->begin(path);
    std::optional<CURLcode> code;
    do {
        code = parts_->go_on();
        loop.run_until(Nanoseconds::zero());
    } while (!code && !loop.stopped());
    curl_multi_remove_handle(parts_->multi.get(), parts_->easy.get());
    if (!code) return std::nullopt;
    return parts_->result(*code);
}

} // namespace agent
