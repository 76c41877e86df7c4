#include "agent/lender.h"

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace agent {
namespace {

constexpr std::string_view prefix = "cyclesoak-", suffix = ".sock", answer = "paused\n";

sockaddr_un make_address(const std::filesystem::path& path) {
    sockaddr_un address{.sun_family = AF_UNIX};
    if (path.native().size() >= sizeof address.sun_path)
        throw base::system_error(path.string(), ENAMETOOLONG);
    path.native().copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

/// The sockets take their addresses as the beginning of something longer.
const sockaddr* generic(const sockaddr_un& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

/// Whose socket a file of this name is; nullopt: it is none of ours.
std::optional<pid_t> parse_owner(std::string_view name) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
    name.remove_prefix(prefix.size());
    const auto pid = base::parse_integer(name.substr(0, name.size() - suffix.size()));
    if (!pid || *pid <= 0) return std::nullopt;
    return static_cast<pid_t>(*pid);
}

void remove_dead_sockets(const std::filesystem::path& folder) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const auto owner = parse_owner(entry.path().filename().native());
        // A socket of our own number is a dead process's, too: we have not made ours yet.
        if (owner && (*owner == getpid() || !base::is_alive(*owner)) &&
            entry.symlink_status(ignored).type() == std::filesystem::file_type::socket)
            unlink(entry.path().c_str());
    }
}

base::Descriptor make_listener(const std::filesystem::path& path) {
    const auto tried = "listen at " + path.string();
    auto listener = base::make_descriptor(
        socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket");
    const auto address = make_address(path);
    if (bind(listener.get(), generic(address), sizeof address) != 0)
        throw base::system_error(tried);
    // Every user must be able to ask, whatever our umask is.
    if (chmod(path.c_str(), 0666) != 0 || listen(listener.get(), SOMAXCONN) != 0) {
        const auto error = base::system_error(tried);
        unlink(path.c_str());
        throw error;
    }
    return listener;
}

/// `patience` is for connecting and for each answer.
base::Descriptor connect_to(const std::filesystem::path& path, base::Nanoseconds patience) {
    auto connection =
        base::make_descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    const auto whole = std::chrono::floor<std::chrono::seconds>(patience);
    const auto rest = std::chrono::ceil<std::chrono::microseconds>(patience - whole);
    const timeval limit{.tv_sec = whole.count(), .tv_usec = rest.count()};
    for (const int direction : {SO_SNDTIMEO, SO_RCVTIMEO})
        if (setsockopt(connection.get(), SOL_SOCKET, direction, &limit, sizeof limit) != 0)
            throw base::system_error("setsockopt");
    const auto address = make_address(path);
    if (connect(connection.get(), generic(address), sizeof address) != 0)
        throw base::system_error("connect to " + path.string());
    return connection;
}

} // namespace

std::filesystem::path lender_path(const std::filesystem::path& lock, pid_t lender) {
    return lock.parent_path() / fmt::format("{}{}{}", prefix, lender, suffix);
}

Lender::Lender(const std::filesystem::path& lock, base::Loop& loop, std::function<void()> pause,
               std::function<void()> resume)
    : path_(lender_path(lock, getpid())), loop_(loop), pause_(std::move(pause)),
      resume_(std::move(resume)) {
    remove_dead_sockets(path_.parent_path());
    listener_ = make_listener(path_);
    loop_.watch(listener_.get(), [this] { accept_borrower(); });
}

Lender::~Lender() {
    loop_.forget(listener_.get());
    for (const auto& [fd, connection] : borrowers_)
        loop_.forget(fd);
    unlink(path_.c_str());
}

void Lender::accept_borrower() {
    base::Descriptor connection(
        accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection || borrowers_.size() == most_borrowers) return;
    if (!paused()) pause_();
    const int fd = connection.get();
    borrowers_.emplace(fd, std::move(connection));
    // A borrower has nothing to say: whatever can be read is its end, or not our language.
    loop_.watch(fd, [this, fd] { dismiss(fd); });
    // If it has gone already the loop will tell.
    send(fd, answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void Lender::dismiss(int borrower) {
    loop_.forget(borrower);
    borrowers_.erase(borrower);
    if (!paused()) resume_();
}

std::optional<Loan> borrow(const std::filesystem::path& lock, pid_t lender,
                           base::Nanoseconds patience) {
    try {
        auto connection = connect_to(lender_path(lock, lender), patience);
        std::array<char, answer.size()> got{};
        const ssize_t size = recv(connection.get(), got.data(), got.size(), MSG_WAITALL);
        if (size < 0 || std::string_view(got.data(), static_cast<size_t>(size)) != answer)
            return std::nullopt;
        return Loan{std::move(connection)};
    } catch (const std::system_error&) {
        return std::nullopt; // there is no such lender
    }
}

} // namespace agent
