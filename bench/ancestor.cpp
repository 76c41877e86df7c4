// The first cyclesoak's method, to compare with: one process a CPU, not pinned, at nice 19,
// counting loops; one rate for all CPUs, from the best of some seconds; load = what is missing.
//
// bench_ancestor SECONDS: calibrates for that long, says "ready", and then prints the load of the
// whole machine, 0..1, over each window that begins and ends with a line on stdin.

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Count {
    alignas(64) std::atomic<long> loops{0};
};

[[noreturn]] void soak(Count& count) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpriority(PRIO_PROCESS, 0, 19);
    std::vector<long> memory(1 << 16);
    for (size_t at = 0;; ++count.loops)
        for (int i = 0; i < 200; ++i, at = (at + 613) % memory.size())
            i % 5 == 0 ? memory[at] += 1 : memory[at + 1 == memory.size() ? 0 : at + 1];
}

class Soakers {
  public:
    Soakers() : counts_(std::thread::hardware_concurrency()) {
        void* shared = mmap(nullptr, counts_.size() * sizeof(Count), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        for (size_t cpu = 0; cpu < counts_.size(); ++cpu) {
            counts_[cpu] = new (static_cast<Count*>(shared) + cpu) Count;
            pids_.push_back(fork());
            if (pids_.back() == 0) soak(*counts_[cpu]);
        }
    }
    ~Soakers() {
        for (const pid_t pid : pids_) {
            kill(pid, SIGKILL);
            waitpid(pid, nullptr, 0);
        }
    }
    Soakers(const Soakers&) = delete;
    Soakers& operator=(const Soakers&) = delete;

    /// Loops a second, of all, until `done` returns.
    template <typename Done>
    double rate(Done done) const {
        const auto begin = Clock::now();
        const long loops = sum();
        done();
        return static_cast<double>(sum() - loops) /
               std::chrono::duration<double>(Clock::now() - begin).count();
    }

  private:
    long sum() const {
        long loops = 0;
        for (const Count* count : counts_)
            loops += count->loops;
        return loops;
    }

    std::vector<Count*> counts_;
    std::vector<pid_t> pids_;
};

void sleep_one_second() { std::this_thread::sleep_for(std::chrono::seconds(1)); }

double calibrate() {
    const Soakers soakers;
    sleep_one_second(); // until they are warm
    return soakers.rate(sleep_one_second);
}

void wait_for_line() {
    std::array<char, 64> line;
    if (!std::fgets(line.data(), line.size(), stdin)) std::exit(0); // its soakers die with it
}

} // namespace

int main() {
    setsid();
    const double full = calibrate();
    const Soakers soakers;
    std::puts("ready");
    std::fflush(stdout);
    for (;;) {
        wait_for_line();
        std::printf("%.5f\n", 1 - soakers.rate(wait_for_line) / full);
        std::fflush(stdout);
    }
}
