#include "agent/server.h"

#include "agent/certificate.h"
#include "agent/http.h"
#include "agent/listen.h"
#include "agent/passwords.h"
#include "agent/verifier.h"
#include "base/error.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <sys/resource.h>

namespace agent {
namespace {

Reply make_reply(int status, std::string text) {
    return {.status = status, .body = std::make_shared<const std::string>(std::move(text) + "\n")};
}

/// So many that descriptors are left for what else the process does.
size_t within_limits(size_t connections) {
    constexpr rlim_t others = 256;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) throw base::system_error("getrlimit");
    const rlim_t wanted = std::min<rlim_t>(connections + others, limit.rlim_max);
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = wanted;
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0) throw base::system_error("setrlimit");
    }
    const auto left = limit.rlim_cur > 2 * others ? limit.rlim_cur - others : limit.rlim_cur / 2;
    return std::min<size_t>(connections, left);
}

/// Something that may fail again and again and is told once.
struct Attempt {
    std::string told;

    void operator()(const std::function<void(const std::string&)>& complain, auto&& act) {
        try {
            act();
            told.clear();
        } catch (const std::exception& error) {
            if (told != error.what()) complain(told = error.what());
        }
    }
};

} // namespace

struct Server::Parts {
    Options options;
    std::map<std::string, Handler> paths;
    std::vector<Listener> listeners;
    std::optional<Certificate> certificate;
    std::unique_ptr<Verifier> verifier;
    std::unique_ptr<Http> http;
    bool wanted = false; ///< threads
    Attempt reading_users, reading_certificate, starting;

    Parts(const Options& given, std::map<std::string, Handler> handlers);
    ~Parts() { stop(); }
    void start();
    void stop();
    void reread_users();
    void reread_certificate();

    std::optional<Reply> admit(const Request& request, const Http::Later& later) const;
    Reply answer(const Request& request, Verdict verdict) const;
    Reply answer(const Request& request) const;
};

Server::Parts::Parts(const Options& given, std::map<std::string, Handler> handlers)
    : options(given), paths(std::move(handlers)) {
    if (options.listen.empty()) throw base::UsageError("no address to listen at");
    if (options.tls_certificate.has_value() != options.tls_key.has_value())
        throw base::UsageError("a certificate needs its key, and a key its certificate");
    try {
        reread_certificate();
        if (options.users) verifier = std::make_unique<Verifier>(read_passwords(*options.users));
    } catch (const std::runtime_error& error) {
        throw base::UsageError(error.what());
    }
    for (const auto& endpoint : options.listen)
        std::ranges::move(listen_at(endpoint), std::back_inserter(listeners));
    options.most_connections = within_limits(options.most_connections);
}

void Server::Parts::start() {
    if (verifier) verifier->start();
    http = std::make_unique<Http>(
        listeners, Http::Options{options.most_connections, options.patience, certificate},
        [this](const Request& request, const Http::Later& later) { return admit(request, later); });
}

void Server::Parts::stop() {
    // First, since whoever waits for it must be answered.
    if (verifier) verifier->stop();
    http.reset();
}

void Server::Parts::reread_users() {
    if (verifier) verifier->replace(read_passwords(*options.users));
}

/// Stops the threads if it is another one.
void Server::Parts::reread_certificate() {
    if (!options.tls_certificate) return;
    auto read = read_certificate(*options.tls_certificate, *options.tls_key);
    if (read == certificate) return;
    check_certificate(read, *options.tls_certificate, *options.tls_key);
    certificate = std::move(read);
    stop();
}

/// What to answer, or nothing as long as it is not known who asks.
std::optional<Reply> Server::Parts::admit(const Request& request, const Http::Later& later) const {
    if (!verifier) return answer(request);
    const auto credentials =
        request.authorization ? parse_basic_authorization(*request.authorization) : std::nullopt;
    if (!credentials) return answer(request, Verdict::wrong);
    const auto verdict =
        verifier->verify(*credentials, [=, this](Verdict found) { later(answer(request, found)); });
    return verdict ? std::optional(answer(request, *verdict)) : std::nullopt;
}

Reply Server::Parts::answer(const Request& request, Verdict verdict) const {
    switch (verdict) {
    case Verdict::right:
        return answer(request);
    case Verdict::wrong:
        return make_reply(401, "name and password needed");
    case Verdict::busy:
        break;
    }
    return make_reply(503, "too many passwords to verify, try again");
}

Reply Server::Parts::answer(const Request& request) const {
    if (request.method != "GET" && request.method != "HEAD")
        return make_reply(405, "only GET and HEAD");
    const auto path = paths.find(request.path);
    if (path == paths.end()) return make_reply(404, "nothing here");
    try {
        return path->second();
    } catch (const std::exception&) {
        return make_reply(500, "this went wrong");
    }
}

Server::Server(const Options& options, std::map<std::string, Handler> paths)
    : parts_(std::make_unique<Parts>(options, std::move(paths))) {
    start_threads();
}

Server::~Server() = default;

std::vector<std::string> Server::addresses() const {
    std::vector<std::string> addresses;
    for (const auto& listener : parts_->listeners)
        addresses.push_back(listener.address);
    return addresses;
}

void Server::stop_threads() {
    parts_->wanted = false;
    parts_->stop();
}

void Server::start_threads() {
    parts_->wanted = true;
    if (!parts_->http) parts_->start();
}

void Server::tend(const std::function<void(const std::string&)>& complain) {
    const auto keeping = [&](const std::string& why) {
        complain(why + "; the old stays in force");
    };
    parts_->reading_users(keeping, [&] { parts_->reread_users(); });
    parts_->reading_certificate(keeping, [&] { parts_->reread_certificate(); });
    parts_->starting(complain, [&] {
        if (parts_->wanted) start_threads();
    });
}

} // namespace agent
