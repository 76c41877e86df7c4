#include "commands/trials.h"

#include "base/cpu_list.h"
#include "base/error.h"
#include "probes/cpu_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <random>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

namespace commands {
namespace {

using demand::PhaseKind;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Short beside the pauses between bursts of what else runs, or of a neighbour.
constexpr auto phase_length = milliseconds(100);
constexpr auto free_phase_length = milliseconds(500); ///< idle time is read less sharply
constexpr auto settling = milliseconds(200);          ///< caches, a load's start
constexpr auto wake_up_time = milliseconds(1500);

/// CPU time of a process, running threads included.
Nanoseconds process_cpu_time(pid_t pid) {
    clockid_t clock = 0;
    timespec time{};
    if (const int error = clock_getcpuclockid(pid, &clock); error != 0)
        throw std::system_error(error, std::generic_category(), "the load's CPU clock");
    if (clock_gettime(clock, &time) != 0) throw base::system_error("read the load's CPU clock");
    return seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
}

Nanoseconds read_truth(const probes::Benchmark* load) {
    if (!load) return {};
    if (!load->running())
        throw std::runtime_error(fmt::format("a load of ours ended early with exit status {}",
                                             load->exit_status().value_or(0)));
    return process_cpu_time(load->pid());
}

/// What we read would be work on the CPU that we look at: we stay on others, if there are any.
class OffCpu {
  public:
    explicit OffCpu(int cpu) : before_(base::usable_cpus()) {
        auto others = before_;
        std::erase(others, cpu);
        if (!others.empty()) base::use_cpus(others);
    }
    ~OffCpu() {
        try {
            base::use_cpus(before_);
        } catch (const std::system_error&) { // none of them is there any more
        }
    }

    OffCpu(const OffCpu&) = delete;
    OffCpu& operator=(const OffCpu&) = delete;

  private:
    base::CpuList before_;
};

Nanoseconds quantile(const std::vector<Nanoseconds>& sorted, double share) {
    const auto last = static_cast<double>(sorted.size() - 1);
    return sorted[static_cast<size_t>(share * last)];
}

/// Sleeps on `cpu` again and again; how late it woke, each time.
std::vector<Nanoseconds> sleep_and_wake(const soak::Topology& topology, int cpu,
                                        const std::stop_token& stop) {
    topology.bind_thread(cpu);
    prctl(PR_SET_TIMERSLACK, 1);
    std::vector<Nanoseconds> late;
    std::mt19937_64 random; // no period that another could be in step with
    std::uniform_int_distribution<int64_t> length_ns(1'000'000, 3'000'000);
    while (!stop.stop_requested()) {
        const auto deadline = base::monotonic_now() + Nanoseconds(length_ns(random));
        base::sleep_until(deadline);
        late.push_back(base::monotonic_now() - deadline);
    }
    return late;
}

} // namespace

Trial make_gaps(Nanoseconds free) {
    return {.name = "gaps-20us", .burn = {"--period", "500us", "--gap", "20us"}, .free = free};
}

struct Trials::Edge {
    Nanoseconds truth{}, soaker{};
    soak::Snapshot soakers;
};

Trials::Trials(Session& session, base::Loop& loop, const base::OriginalSignals& original)
    : session_(session), loop_(loop), original_(original), cpu_(session.instrument().cpus().back()),
      stat_("/proc/stat"), soakers_(base::Root(), session.instrument().pid(), "soak") {}

Trials::~Trials() { soak(false); }

void Trials::soak(bool wanted) {
    if (wanted == soaking_) return;
    if (wanted)
        session_.instrument().soak();
    else
        session_.instrument().park();
    soaking_ = wanted;
}

std::vector<std::string> Trials::make_command(const std::vector<std::string>& burn) const {
    std::vector<std::string> command{std::filesystem::read_symlink("/proc/self/exe").string(),
                                     "load",
                                     "burn",
                                     "--cpu",
                                     std::to_string(cpu_),
                                     "--time",
                                     "1m"};
    command.insert(command.end(), burn.begin(), burn.end());
    return command;
}

Trials::Edge Trials::read_soaked_edge(const probes::Benchmark* load) {
    Edge edge{.truth = read_truth(load), .soakers = session_.instrument().snapshot()};
    const auto& soakers = soakers_.read();
    if (const auto soaker = soakers.find(cpu_); soaker != soakers.end())
        edge.soaker = soaker->second;
    return edge;
}

demand::FreeReading Trials::read_free(const probes::Benchmark* load) {
    demand::FreeReading reading{.time = base::monotonic_raw_now(), .truth = read_truth(load)};
    const auto text = stat_.read();
    if (!text) throw std::runtime_error("there is no /proc/stat");
    const auto cpus = probes::parse_stat(*text, sysconf(_SC_CLK_TCK));
    const auto times = cpus.find(cpu_);
    if (times == cpus.end()) throw std::runtime_error("the CPU has gone offline");
    reading.idle = times->second.idle;
    return reading;
}

std::optional<demand::KnownPhase> Trials::make_soaked_phase(const Edge& begin,
                                                            const Edge& end) const {
    demand::KnownPhase known{.truth = end.truth - begin.truth, .soaker = end.soaker - begin.soaker};
    known.phase.kind = PhaseKind::soaked;
    for (auto& window : session_.instrument().window(begin.soakers, end.soakers).cpus)
        if (window.cpu == cpu_) known.phase.soaked.push_back(window);
    if (known.phase.soaked.empty()) return {};
    known.phase.elapsed = known.phase.soaked.front().elapsed;
    return known;
}

void Trials::run_soaked(demand::KnownLoad& known, Nanoseconds length,
                        const probes::Benchmark* load) {
    soak(true);
    auto deadline = base::monotonic_now() + settling;
    if (!loop_.run_until(deadline)) return;
    auto begin = read_soaked_edge(load);
    const auto end_of_all = deadline + length;
    while (deadline < end_of_all) {
        if (!loop_.run_until(deadline += phase_length)) return;
        auto end = read_soaked_edge(load);
        auto phase = make_soaked_phase(begin, end);
        begin = std::move(end);
        if (!phase || phase->phase.elapsed >= phase_length * 3 / 2) continue;
        known.phases.push_back(std::move(*phase));
    }
}

void Trials::run_free(demand::KnownLoad& known, Nanoseconds length, const probes::Benchmark* load) {
    soak(false);
    std::mt19937_64 random; // not in step with the load
    std::uniform_int_distribution<int64_t> pause_ns(2'000'000, 6'000'000);
    auto next = base::monotonic_now() + settling;
    for (auto left = length; left > Nanoseconds::zero(); left -= free_phase_length) {
        std::vector<demand::FreeReading> readings;
        const auto end = next + free_phase_length;
        while (next < end) {
            if (!loop_.run_until(next)) return;
            readings.push_back(read_free(load));
            next += Nanoseconds(pause_ns(random));
        }
        if (auto phase = demand::make_free_phase(cpu_, readings))
            known.phases.push_back(std::move(*phase));
    }
}

demand::KnownLoad Trials::run(const Trial& trial) {
    demand::KnownLoad known{
        .name = trial.name, .evicts = trial.evicts, .wakes_often = trial.wakes_often};
    std::optional<probes::Benchmark> load;
    if (!trial.burn.empty())
        load.emplace(loop_, make_command(trial.burn), original_, [](std::string_view) {});
    const OffCpu off(cpu_); // the load keeps the affinity it was started with
    const auto* running = load ? &*load : nullptr;
    if (trial.soaked > Nanoseconds::zero()) run_soaked(known, trial.soaked, running);
    if (trial.free > Nanoseconds::zero() && !loop_.stopped()) run_free(known, trial.free, running);
    return known;
}

std::optional<double> Trials::measure_taken() {
    const auto known = run({.name = "busy", .burn = {"--share", "100%"}, .soaked = seconds(3)});
    Nanoseconds taken{}, elapsed{};
    for (const auto& phase : known.phases) {
        taken += phase.soaker;
        elapsed += phase.phase.elapsed;
    }
    if (loop_.stopped() || elapsed <= Nanoseconds::zero()) return {};
    return base::to_seconds(taken) / base::to_seconds(elapsed);
}

std::optional<demand::WakeUp> Trials::measure_wake_up(bool soaked) {
    soak(soaked);
    std::vector<Nanoseconds> late;
    {
        std::jthread sleeper([&](const std::stop_token& stop) {
            late = sleep_and_wake(session_.instrument().topology(), cpu_, stop);
        });
        loop_.run_until(base::monotonic_now() + wake_up_time);
    }
    if (loop_.stopped() || late.empty()) return {};
    std::sort(late.begin(), late.end());
    return demand::WakeUp{quantile(late, 0.5), quantile(late, 0.99)};
}

} // namespace commands
