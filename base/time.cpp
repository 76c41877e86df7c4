#include "base/time.h"

#include <cerrno>
#include <ctime>

namespace base {
namespace {

Nanoseconds read_clock(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
}

} // namespace

Nanoseconds monotonic_now() { return read_clock(CLOCK_MONOTONIC); }
Nanoseconds monotonic_raw_now() { return read_clock(CLOCK_MONOTONIC_RAW); }
Nanoseconds thread_cpu_time() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

void sleep_until(Nanoseconds deadline) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(deadline);
    const timespec until{.tv_sec = whole.count(), .tv_nsec = (deadline - whole).count()};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
}

} // namespace base
