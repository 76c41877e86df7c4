#include "soak/recorder.h"

namespace soak {

/// While the ring is full calls are lost, this one too. Once there is room again the stream goes on
/// from what the accountant remembers.
void Recorder::write() {
    if (on_ && (lost_bytes_ > 0 || !ring_.append(record_))) {
        lost_bytes_ += record_.size();
        ring_.add_lost(record_.size());
        if (ring_.half_empty()) {
            record_.clear();
            encoder_.resume(record_, accountant_.state(), lost_bytes_);
            ring_.append(record_);
            lost_bytes_ = 0;
        }
    }
    record_.clear();
    reading_count_ = 0;
}

} // namespace soak
