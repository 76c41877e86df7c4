#pragma once

#include "base/descriptor.h"
#include "loads/options.h"
#include "loads/team.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace loads {

/// The connection over which both ends agree on a load and compare their counts: one JSON object
/// a line. {"error": "..."} may come at any time and ends it.
class Control {
  public:
    explicit Control(base::Descriptor socket);

    int fd() const { return socket_.get(); }
    std::string peer() const { return peer_; }

    void send(const nlohmann::json& message);
    /// The next message. std::runtime_error, with the peer's address, if there is none within
    /// `answer_patience`, it is no JSON object, it is an error, or the other end is gone.
    nlohmann::json receive();

    /// Throws std::runtime_error with the peer's address.
    [[noreturn]] void fail(const std::string& why) const;

  private:
    base::Descriptor socket_;
    std::string peer_;
    std::string buffer_;
};

/// Options -> what the server must know of them, and back (checked; UsageError).
nlohmann::json make_request(const Options& options);
Options parse_request(const nlohmann::json& request);

/// A server's counts and CPU time, and back.
nlohmann::json make_counts(const Tally& tally);
Tally parse_counts(const nlohmann::json& counts);

} // namespace loads
