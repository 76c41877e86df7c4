#pragma once

#include "loads/team.h"

#include <span>

namespace loads {

/// Sends with MSG_ZEROCOPY. The kernel says later, on the socket's error queue, which sends it is
/// done with and which of them it copied after all (SO_EE_CODE_ZEROCOPY_COPIED); both are counted
/// in the tally.
class Zerocopy {
  public:
    explicit Zerocopy(Tally& tally) : tally_(tally) {}

    /// `data` must stay as it is until finish() returned. Throws std::system_error.
    void send(int socket, std::span<const char> data);
    /// Waits until the kernel is done with everything. std::runtime_error if that takes too long.
    void finish(int socket);

  private:
    void reap(int socket);
    void wait(int socket);

    Tally& tally_;
    bool enabled_ = false;
    uint64_t pending_ = 0;
};

} // namespace loads
