#include "soak/working_set.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace soak {

WorkingSet make_working_set(std::span<std::byte> memory, uint64_t seed) {
    auto* first = reinterpret_cast<WorkingSet::Line*>(memory.data());
    const std::span lines(first, memory.size() / sizeof(WorkingSet::Line));
    if (lines.empty()) return {};
    std::vector<uint32_t> order(lines.size());
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
    for (size_t i = 0; i < order.size(); ++i)
        lines[order[i]] = {.next = &lines[order[(i + 1) % order.size()]], .visits = 0};
    return {.lines = lines, .position = first};
}

void flush_lines(std::span<WorkingSet::Line> lines) {
    for (auto& line : lines) {
#if defined(__x86_64__)
        _mm_clflush(&line);
#elif defined(__aarch64__)
        asm volatile("dc civac, %0" ::"r"(&line) : "memory");
#endif
    }
#if defined(__x86_64__)
    _mm_mfence();
#elif defined(__aarch64__)
    asm volatile("dsb ish" ::: "memory");
#endif
}

} // namespace soak
