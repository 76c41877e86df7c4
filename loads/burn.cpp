#include "base/error.h"
#include "base/loop.h"
#include "loads/run.h"
#include "loads/spin.h"
#include "loads/team.h"

#include <algorithm>
#include <random>
#include <vector>

namespace loads {
namespace {

/// Memory walked in shuffled order, a line at a time; each line says which comes next, so that
/// neither a prefetcher nor the processor's own look-ahead hides a miss.
class Walk {
  public:
    explicit Walk(int64_t bytes) : lines_(static_cast<size_t>(bytes) / sizeof(Line)) {
        // Sattolo's shuffle: one cycle through all lines. Always the same.
        for (size_t i = 0; i < lines_.size(); ++i)
            lines_[i].next = i;
        std::minstd_rand random;
        for (size_t i = lines_.size(); i-- > 1;)
            std::swap(lines_[i].next,
                      lines_[std::uniform_int_distribution<size_t>(0, i - 1)(random)].next);
    }

    /// Once through all of it.
    void run() {
        for (size_t i = 0; i < lines_.size(); ++i) {
            at_ = lines_[at_].next;
            ++lines_[at_].visits;
        }
    }

  private:
    struct alignas(64) Line {
        size_t next = 0;
        size_t visits = 0;
    };

    std::vector<Line> lines_;
    size_t at_ = 0;
};

/// Computes until the thread has used `target` of CPU time, or is stopped. Reading that clock is
/// a system call, so most of the time goes by without.
void burn_until(Nanoseconds target, const Stop& stop) {
    constexpr Nanoseconds piece = std::chrono::milliseconds(1);
    while (!stop.stopped()) {
        const auto left = target - base::thread_cpu_time();
        if (left <= Nanoseconds::zero()) return;
        spin(std::min(left, piece));
    }
}

/// The n-th burst begins n periods after the start and ends when the thread has used n + 1 bursts
/// of CPU time in all, so that no error adds up. Bursts that could not be done in time, because
/// others had the CPU, are not caught up beyond one period.
void burn(const BurnOptions& options, Walk& walk, const Stop& stop, Tally& tally) {
    const auto burst = options.burst();
    auto next = base::monotonic_now();
    auto target = base::thread_cpu_time();
    while (stop.sleep_until(next)) {
        target = std::max(target, base::thread_cpu_time() - burst) + burst;
        walk.run();
        burn_until(target, stop);
        ++tally.bursts;
        next = std::max(next + options.period, base::monotonic_now() - options.period);
    }
}

} // namespace

Result run_burn(const BurnOptions& options, int stop_fd) {
    Walk walk(options.walk_bytes);
    Team team(options.cpu);
    base::Loop loop;
    if (stop_fd >= 0) loop.watch(stop_fd, [&] { loop.stop(); });
    loop.watch(team.ended_fd(), [&] { team.check_ended(); });
    const auto start = base::monotonic_now();
    team.start({}, [&](int, const Stop& stop, Tally& tally) { burn(options, walk, stop, tally); });
    loop.run_until(start + options.duration);
    const auto tally = team.finish();

    Result result;
    result.kind = "burn";
    result.elapsed = tally.ended - start;
    result.cpu["burn"] = tally.cpu;
    result.busy_ratio = base::to_seconds(tally.cpu) / base::to_seconds(result.elapsed);
    result.bursts = tally.bursts;
    return result;
}

} // namespace loads
