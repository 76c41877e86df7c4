#pragma once

#include "base/descriptor.h"
#include "loads/options.h"
#include "loads/team.h"

#include <memory>
#include <span>
#include <vector>

namespace loads {

/// What a stream sends, buffer by buffer, and by which call. Begins anew where the file ends.
class Source {
  public:
    /// `size_bytes`: of the file or memory that is sent.
    Source(int64_t size_bytes, int64_t buffer_bytes) : size_(size_bytes), buffer_(buffer_bytes) {}
    virtual ~Source() = default;

    /// The size of the next buffer: the last one of a file may be shorter.
    int64_t next_bytes() const { return std::min(buffer_, size_ - offset_); }
    /// Sends it. Throws std::system_error, also if the peer is gone.
    void send_next(int socket);
    /// Waits until nothing that was sent needs its memory any more.
    virtual void finish(int /*socket*/) {}

  protected:
    virtual void send(int socket, int64_t offset, size_t bytes) = 0;

  private:
    int64_t size_, buffer_, offset_ = 0;
};

/// Throws std::system_error for the file. `tally` is told about zero-copy completions.
std::unique_ptr<Source> make_source(const Options& options, Tally& tally);

} // namespace loads
