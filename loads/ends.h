#pragma once

#include "loads/options.h"
#include "loads/pacer.h"
#include "loads/team.h"

#include <vector>

namespace loads {

/// What the threads of either end do, one socket each. Clients go on until they are stopped;
/// servers until their client is done (TCP) or they are stopped and nothing comes (UDP).
/// All throw when the other end is gone before its time.
Work make_client(const Options& options);
Work make_server(const Options& options);

/// True if the load's data runs over UDP.
bool over_datagrams(const Options& options);
/// How many sockets, and so threads, either end has.
int64_t connections(const Options& options);

/// Keeps a client at its rate.
class Turns {
  public:
    /// Without a rate every unit's turn is now.
    explicit Turns(std::optional<double> units_per_second);
    /// Waits for the turn of the next `units`; false once stopped.
    bool wait(int64_t units, const Stop& stop);

  private:
    std::optional<Pacer> pacer_;
};

void send_stream(const Options& options, int fd, const Stop& stop, Tally& tally);
void receive_stream(const Options& options, int fd, const Stop& stop, Tally& tally);
void ask(const Options& options, int fd, const Stop& stop, Tally& tally);
void respond(const Options& options, int fd, const Stop& stop, Tally& tally);
void ask_datagrams(const Options& options, int fd, const Stop& stop, Tally& tally);
void respond_datagrams(const Options& options, int fd, const Stop& stop, Tally& tally);
void send_datagrams(const Options& options, int fd, const Stop& stop, Tally& tally);
void receive_datagrams(const Options& options, int fd, const Stop& stop, Tally& tally);

/// Connects a UDP socket to whoever sends to it first; false if it was stopped before.
bool connect_to_sender(int fd, const Stop& stop);

} // namespace loads
