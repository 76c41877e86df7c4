#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace soak {

/// Bytes on their way from one soaker to its parent, in memory that they share. The soaker never
/// waits: what finds no room is lost, and counted by whoever appends.
class RecordRing {
  public:
    static constexpr size_t capacity = 4 << 20; ///< half a second of chunks, at least

    // The soaker's side.

    bool wanted() const { return wanted_.load(std::memory_order_relaxed); }
    /// All of `bytes`, or nothing and false.
    bool append(std::string_view bytes);
    bool append(char byte) {
        const uint64_t at = written_.load(std::memory_order_relaxed);
        if (!has_room(at, 1)) [[unlikely]]
            return false;
        bytes_[at % capacity] = byte;
        written_.store(at + 1, std::memory_order_release);
        return true;
    }
    bool half_empty() { return has_room(written_.load(std::memory_order_relaxed), capacity / 2); }
    void add_lost(size_t bytes) {
        lost_bytes_.store(lost_bytes() + bytes, std::memory_order_relaxed);
    }
    /// Takes the memory, so that no page of it is missing later. Before the first append.
    void touch();

    // The parent's side.

    /// Does the soaker record from its next soaking on?
    void set_wanted(bool wanted) { wanted_.store(wanted, std::memory_order_relaxed); }
    /// Moves what is there to the end of `to`; whole appends only.
    void take(std::string& to);
    /// In all, since the start.
    uint64_t lost_bytes() const { return lost_bytes_.load(std::memory_order_relaxed); }

  private:
    /// Looks at the reader's position only if its last one does not do.
    bool has_room(uint64_t written, size_t bytes) {
        if (written + bytes - read_seen_ <= capacity) [[likely]]
            return true;
        read_seen_ = read_.load(std::memory_order_acquire);
        return written + bytes - read_seen_ <= capacity;
    }

    alignas(64) std::atomic<uint64_t> written_{0};
    uint64_t read_seen_ = 0; ///< the soaker's
    std::atomic<uint64_t> lost_bytes_{0};
    std::atomic<bool> wanted_{false};
    alignas(64) std::atomic<uint64_t> read_{0};
    alignas(64) std::array<char, capacity> bytes_; // not set: its owner touches it, on its own node
};

} // namespace soak
