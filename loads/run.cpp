#include "loads/run.h"

#include "base/descriptor.h"
#include "base/error.h"
#include "base/loop.h"
#include "base/signals.h"
#include "loads/control.h"
#include "loads/ends.h"
#include "loads/server.h"
#include "loads/socket.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <exception>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <thread>

namespace loads {
namespace {

/// Tells the server what is wanted; returns the port that it opened for the data.
uint16_t ask_for_port(const Options& options, Control& control) {
    control.send(make_request(options));
    const auto answer = control.receive();
    const auto port = answer.find("port");
    if (port == answer.end() || !port->is_number_unsigned()) control.fail("not a cyclesoak load");
    return port->get<uint16_t>();
}

std::vector<Descriptor> connect_data(const Options& options, const Address& server) {
    std::vector<Descriptor> sockets;
    for (int64_t i = 0; i < connections(options); ++i)
        sockets.push_back(over_datagrams(options) ? connect_udp(server) : connect_tcp(server));
    return sockets;
}

/// The server knows better why a connection broke: if it says so, or is gone, that is thrown
/// instead of what `call` throws.
auto or_what_the_server_says(Control& control, auto&& call) {
    try {
        return call();
    } catch (const std::exception&) {
        constexpr int patience_ms = 200;
        pollfd said{.fd = control.fd(), .events = POLLIN, .revents = 0};
        if (poll(&said, 1, patience_ms) > 0) control.receive();
        throw;
    }
}

/// Until the time is over, `stop_fd` is readable, a thread failed or the server spoke up: while
/// the load runs it only does that to say what is wrong.
void wait_for_end(Team& team, Control& control, int stop_fd, Nanoseconds deadline) {
    base::Loop loop;
    if (stop_fd >= 0) loop.watch(stop_fd, [&] { loop.stop(); });
    loop.watch(control.fd(), [&] { control.receive(); });
    loop.watch(team.ended_fd(),
               [&] { or_what_the_server_says(control, [&] { team.check_ended(); }); });
    loop.run_until(deadline);
}

/// A server of this process, on a free port, for as long as it lives.
class OwnServer {
  public:
    explicit OwnServer(const Address& address)
        : stop_(base::make_descriptor(eventfd(0, EFD_CLOEXEC), "eventfd")), server_(address),
          thread_([this] {
              base::block_signals();
              server_.serve(stop_.get(), Nanoseconds::max(), {});
          }) {}
    OwnServer(const OwnServer&) = delete;
    OwnServer& operator=(const OwnServer&) = delete;
    ~OwnServer() {
        eventfd_write(stop_.get(), 1);
        thread_.join();
    }

    Address address() const { return server_.address(); }

  private:
    Descriptor stop_;
    Server server_;
    std::thread thread_;
};

} // namespace

Result run_client(const Options& options, const std::vector<Address>& addresses, int stop_fd) {
    Control control(base::with_first(addresses, connect_tcp));
    const auto server = Address::of_peer(control.fd());
    auto sockets = connect_data(options, server.with_port(ask_for_port(options, control)));
    Team team(options.client_cpu);
    const auto start = base::monotonic_now();
    for (auto& socket : sockets)
        team.start(std::move(socket), make_client(options));
    wait_for_end(team, control, stop_fd, start + options.duration);
    const auto client = or_what_the_server_says(control, [&] { return team.finish(); });
    control.send({{"end", true}});
    return make_result(options, client, parse_counts(control.receive()), start);
}

Result run_loopback(const Options& options, int stop_fd) {
    const OwnServer server(base::read_addresses({"127.0.0.1", 0}).front());
    return run_client(options, {server.address()}, stop_fd);
}

} // namespace loads
