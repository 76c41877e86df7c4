#pragma once

#include "agent/peer.h"
#include "base/loop.h"
#include "commands/progress.h"
#include "demand/peer.h"

#include <optional>
#include <string>

namespace commands {

/// Listens to the agent at the other end, around one load. What goes wrong there is kept as the
/// reason why there is no more, told once on stderr, and never anything worse.
class PeerWatch {
  public:
    PeerWatch(const agent::PeerAccess& access, base::Loop& loop, Progress& progress);

    /// Takes its latest reading. May wait as long as the client does, but after a failure never.
    void ask();
    void load_ended();
    /// After load_ended(): goes on until there are so many readings from after the load, for some
    /// seconds at most, or the loop is stopped; takes the list of windows.
    demand::PeerMeasurement finish(size_t readings);

  private:
    using Parse = demand::PeerReading (*)(std::string_view, const std::string&);
    std::optional<demand::PeerReading> read(const char* path, Parse parse, std::string& failure);

    agent::Peer peer_;
    base::Loop& loop_;
    Progress& progress_;
    demand::PeerMeasurement heard_;
    std::optional<base::Nanoseconds> load_ended_;
};

} // namespace commands
