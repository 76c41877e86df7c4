// A clock that leaves the CPU's counter, as after a migration: loaded before the C library, it
// makes CLOCK_MONOTONIC_RAW run a hundredth too fast once the file SKEWED_FROM exists.

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int64_t second_ns = 1'000'000'000;

int64_t skew_ns(int64_t now_ns) {
    static int64_t from_ns = 0;
    const char* file = std::getenv("SKEWED_FROM");
    if (from_ns == 0 && file && access(file, F_OK) == 0) from_ns = now_ns;
    return from_ns == 0 ? 0 : (now_ns - from_ns) / 100;
}

} // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) {
    const auto result = syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && clock == CLOCK_MONOTONIC_RAW) {
        int64_t now_ns = time->tv_sec * second_ns + time->tv_nsec;
        now_ns += skew_ns(now_ns);
        time->tv_sec = now_ns / second_ns;
        time->tv_nsec = now_ns % second_ns;
    }
    return static_cast<int>(result);
}
