#include "commands/phase_runner.h"

#include <ctime>

namespace commands {
namespace {

using demand::Phase;
using demand::PhaseKind;
using demand::Stage;
using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Time this machine spent suspended since it started.
Nanoseconds suspended_time() {
    timespec boot{};
    clock_gettime(CLOCK_BOOTTIME, &boot);
    return std::chrono::seconds(boot.tv_sec) + Nanoseconds(boot.tv_nsec) - base::monotonic_now();
}

} // namespace

PhaseRunner::PhaseRunner(soak::Instrument& instrument, probes::Probes& probes, base::Loop& loop,
                         const PhasePlan& plan)
    : instrument_(instrument), probes_(probes), loop_(loop),
      throttling_(base::Root(), instrument.pid()), plan_(plan), random_(plan.seed),
      origin_(base::monotonic_raw_now()) {}

PhaseRunner::~PhaseRunner() { stop_soaking(); }

void PhaseRunner::run_for(Stage stage, Nanoseconds elapsed, const std::function<void()>& between) {
    auto deadline = base::monotonic_now() + elapsed;
    while (!loop_.stopped() && base::monotonic_now() < deadline) {
        run_pair(stage);
        const auto paused = base::monotonic_now();
        between();
        deadline += base::monotonic_now() - paused;
    }
}

void PhaseRunner::run_pair(Stage stage) {
    if (plan_.kinds == PhasePlan::Kinds::alternating) {
        const bool soaked_first = random_() % 2 == 0;
        run_phase(soaked_first ? PhaseKind::soaked : PhaseKind::free, stage);
        run_phase(soaked_first ? PhaseKind::free : PhaseKind::soaked, stage);
    } else {
        run_phase(plan_.kinds == PhasePlan::Kinds::soaked ? PhaseKind::soaked : PhaseKind::free,
                  stage);
    }
    ++pair_;
}

void PhaseRunner::run_phase(PhaseKind kind, Stage stage) {
    if (loop_.stopped()) return;
    const auto length = random_length();
    const auto started = base::monotonic_now();
    enter(kind);
    if (!loop_.run_until(started + plan_.cut)) return;
    const auto begin = read_edge();
    Phase phase{.kind = kind, .stage = stage, .pair = pair_};
    if (loop_.run_until(started + plan_.cut + (length - plan_.cut) / 4))
        phase.first_quarter = probes_.read() - begin.counters;
    loop_.run_until(started + length);
    const bool leaves = soaking_ && plan_.kinds == PhasePlan::Kinds::alternating;
    if (leaves) stop_soaking();
    auto end = read_edge();
    if (leaves) settle(end);
    keep(std::move(phase), begin, end, length - plan_.cut);
}

void PhaseRunner::enter(PhaseKind kind) {
    if (kind == PhaseKind::free) return stop_soaking();
    if (!soaking_) instrument_.soak();
    soaking_ = true;
}

/// Asks the parked soakers once they have sorted a gap that was open at the edge. The wait is no
/// part of any phase.
void PhaseRunner::settle(Edge& edge) {
    const auto patience = base::monotonic_now() + milliseconds(5);
    while (!instrument_.settled() && base::monotonic_now() < patience)
        base::sleep_until(base::monotonic_now() + microseconds(100));
    // Our own thread's time is the edge's: what came after is not in the phase.
    edge.soakers.cpus = instrument_.snapshot().cpus;
}

void PhaseRunner::stop_soaking() {
    if (soaking_) instrument_.park();
    soaking_ = false;
}

bool PhaseRunner::counter_failed() const {
    constexpr int chance = 1; // a busy machine can hold up the reading of two clocks
    return instrument_.timebase().counter() && clock_failures_ > chance;
}

void PhaseRunner::renew() {
    soaking_ = false;
    clock_failures_ = 0;
    throttling_ = probes::Throttling(base::Root(), instrument_.pid());
}

PhaseRunner::Edge PhaseRunner::read_edge() {
    Edge edge;
    edge.soakers = instrument_.snapshot();
    edge.counters = probes_.read();
    edge.suspended = suspended_time();
    edge.throttled = throttling_.read();
    return edge;
}

void PhaseRunner::keep(Phase phase, const Edge& begin, const Edge& end, Nanoseconds planned) {
    phase.start = begin.counters.time - origin_;
    phase.counters = end.counters - begin.counters;
    phase.elapsed = phase.counters.time;
    const bool too_short = phase.elapsed < planned / 2;
    if (too_short && loop_.stopped()) return;
    std::string reason;
    if (end.suspended - begin.suspended > milliseconds(1)) reason = "suspend";
    // A pause at its start leaves a phase too short, a later one makes it too long.
    else if (too_short || phase.elapsed > planned * 3 / 2)
        reason = "overrun";
    else if (end.throttled != begin.throttled)
        reason = "throttled";
    if (phase.kind == PhaseKind::soaked && reason.empty()) {
        auto windows = instrument_.window(begin.soakers, end.soakers);
        reason = windows.discarded;
        clock_failures_ = reason == "clock" ? clock_failures_ + 1 : 0;
        phase.soaked = std::move(windows.cpus);
    }
    if (reason.empty())
        phases_.push_back(std::move(phase));
    else
        ++discarded_[reason];
}

Nanoseconds PhaseRunner::random_length() {
    std::uniform_real_distribution<double> factor(2.0 / 3, 4.0 / 3);
    return plan_.cut + base::from_seconds(base::to_seconds(plan_.length) * factor(random_));
}

} // namespace commands
