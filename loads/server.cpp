#include "loads/server.h"

#include "base/error.h"
#include "base/loop.h"
#include "loads/ends.h"
#include "loads/socket.h"

#include <nlohmann/json.hpp>

#include <exception>
#include <stdexcept>

namespace loads {
namespace {

constexpr auto ended_early = "the server was ended";

/// Threads for one client's sockets, which it is told where to connect to.
void start_threads(Team& team, const Options& options, Control& control) {
    const auto here = Address::of_socket(control.fd()).with_port(0);
    auto socket = over_datagrams(options) ? bind_udp(here) : listen_tcp(here);
    control.send({{"port", Address::of_socket(socket.get()).port()}});
    if (over_datagrams(options)) {
        team.start(std::move(socket), make_server(options));
        return;
    }
    for (int64_t i = 0; i < connections(options); ++i)
        team.start(accept_tcp(socket.get()), make_server(options));
}

/// Tells the client what went wrong, if it still listens.
void send_error(Control& control, const std::string& what) {
    try {
        control.send({{"error", what}});
    } catch (const std::exception&) {
        // It is gone; that may be what went wrong.
    }
}

} // namespace

Server::Server(const Address& address) : listener_(listen_tcp(address)) {}

void Server::serve(int stop_fd, Nanoseconds deadline, const Listeners& listeners) {
    base::Loop loop;
    if (stop_fd >= 0) loop.watch(stop_fd, [&] { loop.stop(); });
    loop.watch(listener_.get(), [&] {
        try {
            serve_client(stop_fd, deadline, listeners);
        } catch (const std::exception& error) {
            if (listeners.failed) listeners.failed(error.what());
        }
    });
    loop.run_until(deadline);
}

void Server::serve_client(int stop_fd, Nanoseconds deadline, const Listeners& listeners) {
    Control control(accept_tcp(listener_.get()));
    try {
        const auto options = parse_request(control.receive());
        Team team(options.server_cpu);
        start_threads(team, options, control);
        const auto start = base::monotonic_now();
        base::Loop loop;
        loop.watch(control.fd(), [&] { loop.stop(); });
        if (stop_fd >= 0) loop.watch(stop_fd, [] { throw std::runtime_error(ended_early); });
        loop.watch(team.ended_fd(), [&] { team.check_ended(); });
        if (loop.run_until(deadline)) throw std::runtime_error(ended_early);
        control.receive();
        const auto elapsed = base::monotonic_now() - start;
        const auto tally = team.finish();
        control.send(make_counts(tally));
        if (listeners.served) listeners.served(make_server_result(options, tally, elapsed));
    } catch (const std::exception& error) {
        send_error(control, error.what());
        throw;
    }
}

} // namespace loads
