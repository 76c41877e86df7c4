#include "soak/slot.h"

#include <climits>

#include <algorithm>
#include <bit>
#include <cmath>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <type_traits>
#include <unistd.h>

namespace soak {
namespace {

static_assert(std::is_trivially_copyable_v<Tally> && sizeof(Tally) % sizeof(int64_t) == 0);
static_assert(std::atomic<int64_t>::is_always_lock_free);

#if defined(__SANITIZE_THREAD__)
// The thread sanitizer knows no fences; under it every access is in one order.
constexpr auto unordered = std::memory_order_seq_cst;
void fence(std::memory_order) {}
#else
constexpr auto unordered = std::memory_order_relaxed;
void fence(std::memory_order order) { std::atomic_thread_fence(order); }
#endif

void futex(const std::atomic<uint32_t>& word, int operation, uint32_t value) {
    syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

} // namespace

void Slot::command(Mode mode, Ticks edge) {
    if (mode == Mode::soak) begin_ = edge;
    if (mode == Mode::park) end_ = edge;
    const uint32_t generation = (command_.load(std::memory_order_relaxed) >> 2) + 1;
    command_.store(generation << 2 | static_cast<uint32_t>(mode), std::memory_order_release);
    futex(command_, FUTEX_WAKE, INT_MAX);
}

void Slot::wait(uint32_t word) const { futex(command_, FUTEX_WAIT, word); }

bool Slot::acknowledged() const {
    return acknowledged_.load(std::memory_order_acquire) == command_word();
}

void Slot::publish(const Tally& tally) {
    const uint64_t number = published_.load(unordered) + 1;
    const auto from = std::bit_cast<std::array<int64_t, words>>(tally);
    auto& to = ring_[number % copies].word;
    // The last publication must be seen before this copy changes. A release store would let the
    // stores behind it pass; a fence does not.
    fence(std::memory_order_release);
    for (size_t i = 0; i < words; ++i)
        to[i].store(from[i], unordered);
    published_.store(number, std::memory_order_release);
}

Tally Slot::read() const {
    for (;;) {
        const uint64_t number = published_.load(std::memory_order_acquire);
        std::array<int64_t, words> copy;
        for (size_t at = 0; at < words; ++at)
            copy[at] = ring_[number % copies].word[at].load(unordered);
        fence(std::memory_order_acquire);
        // Copy `number` is overwritten only after `number + copies - 1` was published.
        if (published_.load(unordered) - number < copies - 1) return std::bit_cast<Tally>(copy);
    }
}

void Slot::count_stall(Ticks length) {
    const auto add = [](auto& sum, auto more) { // there is one writer
        sum.store(sum.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    };
    add(stalls_[stall_index(duration(length))], 1u);
    add(stalled_ticks_, length);
}

StallCounts Slot::stalls() const {
    StallCounts counts{.sum = duration(stalled_ticks_.load(std::memory_order_relaxed))};
    for (size_t i = 0; i < counts.count.size(); ++i)
        counts.count[i] = stalls_[i].load(std::memory_order_relaxed);
    return counts;
}

Nanoseconds Slot::duration(Ticks ticks) const {
    return Nanoseconds(std::llround(static_cast<double>(ticks) / limits_.ticks_per_ns));
}

void Slot::add_sample(ChunkKind kind, Ticks took) {
    const size_t count = sample_count_.load(std::memory_order_relaxed);
    if (count >= most_samples) return;
    samples_[count] = {kind, static_cast<uint32_t>(std::clamp<Ticks>(took, 0, UINT32_MAX))};
    sample_count_.store(count + 1, std::memory_order_release);
}

} // namespace soak
