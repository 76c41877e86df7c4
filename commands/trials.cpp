#include "commands/trials.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <random>
#include <sys/prctl.h>
#include <thread>

namespace commands {
namespace {

using demand::PhaseKind;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto window_length = seconds(1);
constexpr auto settling = milliseconds(200); ///< caches, a load's start
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
    soak::Snapshot soakers;
    probes::Counters counters;
    Nanoseconds truth{}, soaker{};
};

Trials::Trials(Session& session, base::Loop& loop, const base::OriginalSignals& original)
    : session_(session), loop_(loop), original_(original), cpu_(session.instrument().cpus().back()),
      probes_(base::Root(), {cpu_}), soakers_(base::Root(), session.instrument().pid(), "soak") {}

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

Trials::Edge Trials::read_edge(const probes::Benchmark* load) {
    Edge edge;
    edge.soakers = session_.instrument().snapshot();
    edge.counters = probes_.read();
    if (load) {
        if (!load->running())
            throw std::runtime_error(fmt::format("a load of ours ended early with exit status {}",
                                                 load->exit_status().value_or(0)));
        edge.truth = process_cpu_time(load->pid());
    }
    const auto& soakers = soakers_.read();
    if (const auto soaker = soakers.find(cpu_); soaker != soakers.end())
        edge.soaker = soaker->second;
    return edge;
}

/// The kernel's idle time comes in steps: the mean of readings spread over one step has hardly any.
std::optional<Trials::Edge> Trials::read_free_edge(const probes::Benchmark* load) {
    constexpr int readings = 16;
    constexpr auto step = milliseconds(10);
    auto next = base::monotonic_now();
    auto mean = read_edge(load);
    auto& cpu = mean.counters.cpus.front();
    Nanoseconds time{}, truth{}, idle{}; // beyond the first reading's
    for (int i = 1; i < readings; ++i) {
        if (!loop_.run_until(next += step / readings)) return {};
        const auto edge = read_edge(load);
        const auto later = edge.counters.cpus.front().idle;
        if (!later || !cpu.idle) return mean;
        time += edge.counters.time - mean.counters.time;
        truth += edge.truth - mean.truth;
        idle += *later - *cpu.idle;
    }
    mean.counters.time += time / readings;
    mean.truth += truth / readings;
    *cpu.idle += idle / readings;
    return mean;
}

demand::KnownPhase Trials::make_phase(PhaseKind kind, const Edge& begin, const Edge& end) const {
    demand::KnownPhase known{.truth = end.truth - begin.truth, .soaker = end.soaker - begin.soaker};
    known.phase.kind = kind;
    known.phase.counters = end.counters - begin.counters;
    known.phase.elapsed = known.phase.counters.time;
    if (kind == PhaseKind::soaked)
        for (auto& window : session_.instrument().window(begin.soakers, end.soakers).cpus)
            if (window.cpu == cpu_) known.phase.soaked.push_back(window);
    return known;
}

demand::KnownLoad Trials::run(const Trial& trial) {
    demand::KnownLoad known{
        .name = trial.name, .evicts = trial.evicts, .wakes_often = trial.wakes_often};
    std::optional<probes::Benchmark> load;
    if (!trial.burn.empty())
        load.emplace(loop_, make_command(trial.burn), original_, [](std::string_view) {});
    auto deadline = base::monotonic_now();
    const auto add = [&](PhaseKind kind, const Edge& begin, Nanoseconds planned) {
        auto end = read_edge(load ? &*load : nullptr);
        auto phase = make_phase(kind, begin, end);
        if (phase.phase.elapsed < planned * 3 / 2) known.phases.push_back(std::move(phase));
        return end;
    };
    if (trial.soaked_windows > 0) {
        soak(true);
        if (!loop_.run_until(deadline += settling)) return known;
        auto edge = read_edge(load ? &*load : nullptr);
        for (int i = 0; i < trial.soaked_windows; ++i) {
            if (!loop_.run_until(deadline += window_length)) return known;
            edge = add(PhaseKind::soaked, edge, window_length);
        }
    }
    if (trial.free > Nanoseconds::zero()) {
        soak(false);
        if (!loop_.run_until(deadline += settling)) return known;
        const auto begin = read_free_edge(load ? &*load : nullptr);
        if (!begin || !loop_.run_until(deadline += trial.free)) return known;
        if (const auto end = read_free_edge(load ? &*load : nullptr))
            known.phases.push_back(make_phase(PhaseKind::free, *begin, *end));
    }
    return known;
}

std::optional<double> Trials::measure_taken() {
    const auto known = run({.name = "busy", .burn = {"--share", "100%"}, .soaked_windows = 3});
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
