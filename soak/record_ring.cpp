#include "soak/record_ring.h"

#include <algorithm>

namespace soak {

bool RecordRing::append(std::string_view bytes) {
    const uint64_t at = written_.load(std::memory_order_relaxed);
    if (!has_room(at, bytes.size())) return false;
    for (size_t i = 0; i < bytes.size(); ++i)
        bytes_[(at + i) % capacity] = bytes[i];
    written_.store(at + bytes.size(), std::memory_order_release);
    return true;
}

void RecordRing::touch() { bytes_.fill(0); }

void RecordRing::take(std::string& to) {
    const uint64_t from = read_.load(std::memory_order_relaxed);
    const uint64_t until = written_.load(std::memory_order_acquire);
    const size_t first = from % capacity, size = until - from;
    const size_t up_to_the_end = std::min(size, capacity - first);
    to.append(bytes_.data() + first, up_to_the_end);
    to.append(bytes_.data(), size - up_to_the_end);
    read_.store(until, std::memory_order_release);
}

} // namespace soak
