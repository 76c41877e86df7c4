#include "agent/http.h"

#include "agent/http_message.h"
#include "base/error.h"
#include "base/signals.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fcntl.h>
#include <list>
#include <microhttpd.h>
#include <mutex>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>

namespace agent {
namespace {

/// Of one connection: the headers of its request and those of the answer.
constexpr intptr_t connection_memory_bytes = 8192;

struct Connection {
    MHD_Connection* handle = nullptr;
    int socket = -1;
    Nanoseconds since{};    ///< when its time began
    bool requested = false; ///< there is the first line of a request
    bool headers_read = false;
    std::optional<Reply> reply; ///< that came later
    std::list<Connection>::iterator self;
};

struct Deleter {
    void operator()(MHD_Daemon* daemon) const { MHD_stop_daemon(daemon); }
};
using Daemon = std::unique_ptr<MHD_Daemon, Deleter>;

} // namespace

/// The library is driven by our own thread, and all that is of connections is touched by it alone.
struct Http::Parts {
    Options options;
    Answer answer;
    std::list<Connection> connections; ///< the one whose time began first is first
    base::Descriptor events, wake;
    std::vector<Daemon> daemons; ///< one for each socket

    std::mutex mutex; ///< of what other threads leave here
    std::vector<std::pair<Connection*, Reply>> answered;
    std::atomic<bool> stopping = false;
    std::thread thread;

    Parts(const std::vector<Listener>& listeners, const Options& wanted, Answer answers);
    ~Parts();
    void watch(int fd);
    Daemon make_daemon(const Listener& listener);

    void run();
    void wait();
    int patience_ms() const;
    void resume_answered();
    void end_overdue();
    void wake_up() const;

    void restart_clock(Connection& connection);
    MHD_Result answer_request(Connection& connection, const Request& request);
    std::optional<Reply> try_answer(const Request& request, Later later) const;

    // What the library calls; `parts` is this object.
    static MHD_Result may_connect(void* parts, const sockaddr*, socklen_t);
    static void connection_changed(void* parts, MHD_Connection* handle, void** connection,
                                   MHD_ConnectionNotificationCode what);
    static void* request_begins(void* parts, const char* uri, MHD_Connection* handle);
    static MHD_Result request_continues(void* parts, MHD_Connection* handle, const char* path,
                                        const char* method, const char* version, const char* body,
                                        size_t* body_bytes, void** request);
    static void request_ends(void* parts, MHD_Connection* handle, void** request,
                             MHD_RequestTerminationCode how);
};

namespace {

Connection& connection_of(MHD_Connection* handle) {
    return *static_cast<Connection*>(
        MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
}

intptr_t number(auto callback) { return reinterpret_cast<intptr_t>(callback); }

} // namespace

Http::Http(const std::vector<Listener>& listeners, const Options& options, Answer answer)
    : parts_(std::make_unique<Parts>(listeners, options, std::move(answer))) {}

Http::~Http() = default;

Http::Parts::Parts(const std::vector<Listener>& listeners, const Options& wanted, Answer answers)
    : options(wanted), answer(std::move(answers)),
      events(base::make_descriptor(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake(base::make_descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
    watch(wake.get());
    for (const auto& listener : listeners) {
        daemons.push_back(make_daemon(listener));
        watch(MHD_get_daemon_info(daemons.back().get(), MHD_DAEMON_INFO_EPOLL_FD)->listen_fd);
    }
    thread = std::thread([this] {
        base::block_signals();
        run();
    });
}

Http::Parts::~Parts() {
    stopping = true;
    wake_up();
    if (thread.joinable()) thread.join();
    // The library does not end what is suspended.
    resume_answered();
    daemons.clear();
}

void Http::Parts::watch(int fd) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    if (epoll_ctl(events.get(), EPOLL_CTL_ADD, fd, &event) < 0)
        throw base::system_error("epoll_ctl");
}

/// The library closes the socket that it gets.
Daemon Http::Parts::make_daemon(const Listener& listener) {
    const auto tried = "serve HTTP at " + listener.address;
    const int socket = fcntl(listener.socket.get(), F_DUPFD_CLOEXEC, 0);
    if (socket < 0) throw base::system_error(tried);
    std::vector<MHD_OptionItem> items = {
        {MHD_OPTION_LISTEN_SOCKET, socket, nullptr},
        {MHD_OPTION_CONNECTION_LIMIT, static_cast<intptr_t>(options.most_connections), nullptr},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory_bytes, nullptr},
        {MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, nullptr},
        {MHD_OPTION_NOTIFY_CONNECTION, number(connection_changed), this},
        {MHD_OPTION_URI_LOG_CALLBACK, number(request_begins), this},
        {MHD_OPTION_NOTIFY_COMPLETED, number(request_ends), this}};
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
    std::string chain, key, versions = "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1";
    if (options.certificate) {
        flags |= MHD_USE_TLS;
        chain = options.certificate->chain, key = options.certificate->key;
        items.push_back({MHD_OPTION_HTTPS_MEM_CERT, 0, chain.data()});
        items.push_back({MHD_OPTION_HTTPS_MEM_KEY, 0, key.data()});
        items.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, versions.data()});
    }
    items.push_back({MHD_OPTION_END, 0, nullptr});
    Daemon daemon(MHD_start_daemon(flags, 0, may_connect, this, request_continues, this,
                                   MHD_OPTION_ARRAY, items.data(), MHD_OPTION_END));
    if (!daemon) throw base::system_error(tried);
    return daemon;
}

void Http::Parts::run() {
    while (!stopping) {
        wait();
        resume_answered();
        for (const auto& daemon : daemons)
            MHD_run(daemon.get());
        end_overdue();
    }
}

void Http::Parts::wait() {
    epoll_event event;
    epoll_wait(events.get(), &event, 1, patience_ms());
    uint64_t count = 0;
    // Empty unless somebody woke us up.
    [[maybe_unused]] const auto size = read(wake.get(), &count, sizeof count);
}

/// Until there is something to do without an event; -1: there is not.
int Http::Parts::patience_ms() const {
    for (const auto& daemon : daemons)
        if (MHD_UNSIGNED_LONG_LONG at_once = 0; MHD_get_timeout(daemon.get(), &at_once) == MHD_YES)
            return 0;
    if (connections.empty()) return -1;
    const auto left = connections.front().since + options.patience - base::monotonic_now();
    const auto left_ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    return static_cast<int>(std::max<int64_t>(left_ms, 0));
}

/// Not where they are answered: a connection is surely suspended only when its thread is here.
void Http::Parts::resume_answered() {
    std::vector<std::pair<Connection*, Reply>> taken;
    {
        const std::lock_guard lock(mutex);
        taken.swap(answered);
    }
    for (auto& [connection, reply] : taken) {
        connection->reply = std::move(reply);
        MHD_resume_connection(connection->handle);
    }
}

/// The library then finds that they are closed. To a client that does not take its answer nothing
/// is delivered any more, or the kernel would keep that for minutes.
void Http::Parts::end_overdue() {
    const auto now = base::monotonic_now();
    while (!connections.empty() && connections.front().since + options.patience <= now) {
        auto& connection = connections.front();
        const linger nothing{.l_onoff = 1, .l_linger = 0};
        if (connection.requested)
            setsockopt(connection.socket, SOL_SOCKET, SO_LINGER, &nothing, sizeof nothing);
        shutdown(connection.socket, SHUT_RDWR);
        restart_clock(connection);
    }
}

void Http::Parts::wake_up() const {
    const uint64_t one = 1;
    [[maybe_unused]] const auto size = write(wake.get(), &one, sizeof one);
}

void Http::Parts::restart_clock(Connection& connection) {
    connection.since = base::monotonic_now();
    connections.splice(connections.end(), connections, connection.self);
}

MHD_Result Http::Parts::may_connect(void* parts, const sockaddr*, socklen_t) {
    const auto& self = *static_cast<Parts*>(parts);
    return self.connections.size() < self.options.most_connections ? MHD_YES : MHD_NO;
}

void Http::Parts::connection_changed(void* parts, MHD_Connection* handle, void** connection,
                                     MHD_ConnectionNotificationCode what) {
    auto& connections = static_cast<Parts*>(parts)->connections;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        connections.erase(static_cast<Connection*>(*connection)->self);
        return;
    }
    auto& added = connections.emplace_back();
    added.handle = handle;
    added.socket = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    added.since = base::monotonic_now();
    added.self = std::prev(connections.end());
    *connection = &added;
}

void* Http::Parts::request_begins(void* parts, const char*, MHD_Connection* handle) {
    auto& connection = connection_of(handle);
    connection.requested = true;
    connection.headers_read = false;
    connection.reply.reset();
    static_cast<Parts*>(parts)->restart_clock(connection);
    return nullptr;
}

/// First after the headers, then with each piece of a body, then once or, if it was suspended,
/// twice at the end.
MHD_Result Http::Parts::request_continues(void* parts, MHD_Connection* handle, const char* path,
                                          const char* method, const char*, const char*,
                                          size_t* body_bytes, void**) {
    auto& connection = connection_of(handle);
    const bool at_end = connection.headers_read && *body_bytes == 0;
    connection.headers_read = true;
    *body_bytes = 0;
    if (!at_end) return MHD_YES;
    if (connection.reply) return send_reply(handle, *connection.reply);
    return static_cast<Parts*>(parts)->answer_request(connection,
                                                      make_request(handle, method, path));
}

void Http::Parts::request_ends(void* parts, MHD_Connection* handle, void**,
                               MHD_RequestTerminationCode) {
    auto& connection = connection_of(handle);
    connection.requested = false;
    static_cast<Parts*>(parts)->restart_clock(connection);
}

MHD_Result Http::Parts::answer_request(Connection& connection, const Request& request) {
    const auto reply = try_answer(request, [this, &connection](Reply later) {
        const std::lock_guard lock(mutex);
        answered.emplace_back(&connection, std::move(later));
        wake_up();
    });
    if (reply) return send_reply(connection.handle, *reply);
    MHD_suspend_connection(connection.handle);
    return MHD_YES;
}

std::optional<Reply> Http::Parts::try_answer(const Request& request, Later later) const {
    try {
        return answer(request, std::move(later));
    } catch (const std::exception&) {
        return Reply{.status = MHD_HTTP_INTERNAL_SERVER_ERROR};
    }
}

} // namespace agent
