#include "agent/agent.h"

#include "base/error.h"
#include "probes/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <random>

namespace agent {
namespace {

constexpr auto tick_length = std::chrono::seconds(1);
constexpr auto retry_pause = std::chrono::seconds(1);
constexpr int trusted_clock_failures = 1; ///< a busy machine can hold up the reading of two clocks

base::CpuList choose_cpus(const base::CpuList& wanted) {
    const auto usable = base::usable_cpus();
    if (wanted.empty()) return soak::unreserved(usable, base::Root());
    base::CpuList cpus;
    std::set_intersection(usable.begin(), usable.end(), wanted.begin(), wanted.end(),
                          std::back_inserter(cpus));
    return cpus;
}

/// In a virtual machine, those that see no sibling thread: another machine's may be there.
base::CpuList without_siblings(const soak::Instrument& instrument) {
    base::CpuList cpus;
    for (const int cpu : instrument.cpus())
        if (instrument.topology().place(cpu).siblings.size() < 2) cpus.push_back(cpu);
    return cpus;
}

double unix_now() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

} // namespace

struct Agent::Soaking {
    Soaking(const soak::Instrument::Options& options, const Plan& plan,
            const std::function<void(const std::string&)>& say)
        : instrument(options), calibrator(instrument, plan.working_set, plan.duty_ratio < 1, say) {}

    soak::Instrument instrument;
    Calibrator calibrator;
    std::optional<probes::ThreadTimes> times;
    std::unique_ptr<Sampler> sampler;
};

Agent::Agent(const Plan& plan, base::Loop& loop, Surroundings surroundings)
    : loop_(loop), surroundings_(std::move(surroundings)), host_(probes::read_host(base::Root())) {
    change(plan);
    inactive_since_ = next_tick_ = base::monotonic_now();
}

Agent::~Agent() = default;

void Agent::run() {
    while (!stopping_) {
        loop_.resume(); // where it was stopped for us to pause or to end
        if (!active_ && !pause_wanted_ && base::monotonic_now() >= next_try_) activate();
        if (base::monotonic_now() >= next_tick_) tick();
        if (active_) calibrate_if_due();
        if (!loop_.run_until(next_event())) continue;
        if (active_ && base::monotonic_now() >= soaking_->sampler->next())
            soaking_->sampler->step();
    }
    deactivate();
    stopping_ = false;
}

void Agent::change(const Plan& plan) {
    const auto usable = base::usable_cpus();
    for (const int cpu : plan.cpus)
        if (!std::binary_search(usable.begin(), usable.end(), cpu))
            throw base::UsageError(fmt::format("--cpus: CPU {} is not among those this process may "
                                               "use ({})",
                                               cpu, base::format_cpu_list(usable)));
    const auto cpus = choose_cpus(plan.cpus);
    if (cpus.empty())
        throw base::UsageError("all CPUs are isolated or nohz_full; name some with --cpus");
    plan_ = plan;
    soaking_.reset();
    use_cpus(cpus);
}

void Agent::use_cpus(const base::CpuList& cpus) {
    if (cpus == cpus_) return;
    cpus_ = cpus;
    probes_.emplace(base::Root(), cpus_);
}

void Agent::stop() {
    stopping_ = true;
    loop_.stop();
}

void Agent::pause() {
    pause_wanted_ = true;
    deactivate();
    loop_.stop(); // also what is being calibrated
}

Nanoseconds Agent::next_event() const {
    if (!active_) return next_tick_;
    return std::min(next_tick_, soaking_->sampler->next());
}

void Agent::activate() {
    next_try_ = base::monotonic_now() + retry_pause;
    if (cpus_.empty() || !hold()) return;
    if (!soaking_ && !start_soakers()) return holder_.reset();
    soaking_->sampler->restart();
    account_.resume(take_reading());
    inactive_ += base::monotonic_now() - inactive_since_;
    active_ = true;
    obstacle_.clear();
}

void Agent::deactivate() {
    if (!active_) return;
    account_.add(take_reading());
    account_.pause();
    soaking_->instrument.park();
    holder_.reset();
    active_ = false;
    inactive_since_ = base::monotonic_now();
}

bool Agent::hold() {
    try {
        holder_.emplace(plan_.lock, cpus_);
    } catch (const soak::HeldError& error) {
        meet(fmt::format("{}; waiting until it ends", error.what()));
        return false;
    } catch (const std::system_error& error) {
        meet(fmt::format("nothing keeps another cyclesoak from the same CPUs ({})", error.what()));
    }
    return true;
}

/// The first time it must succeed; later a CPU may just have gone, or memory be short.
bool Agent::start_soakers() {
    try {
        surroundings_.fork([&] {
            soaking_ = std::make_unique<Soaking>(
                soak::Instrument::Options{.cpus = cpus_,
                                          .working_set = plan_.working_set,
                                          .yield = plan_.yield,
                                          .counter = counter_},
                plan_, surroundings_.say);
        });
    } catch (const std::exception& error) {
        if (!started_) throw;
        meet(fmt::format("no soakers can be started ({}); trying on", error.what()));
        return false;
    }
    started_ = true;
    if (host_.contains("hypervisor"))
        account_.expect_strangers(without_siblings(soaking_->instrument));
    const Sampled sampled{soaking_->instrument, *probes_, account_,
                          [this](size_t at, const soak::CpuWindow& window) {
                              soaking_->calibrator.check(at, window);
                          }};
    soaking_->sampler =
        plan_.duty_ratio < 1
            ? make_random_sampler(sampled, {.duty = plan_.duty_ratio, .window = plan_.window},
                                  std::random_device()())
            : make_constant_sampler(sampled);
    return true;
}

void Agent::calibrate_if_due() {
    if (soaking_->sampler->open()) return;
    soaking_->calibrator.heed(base::monotonic_now());
    const auto at = soaking_->calibrator.due(base::monotonic_now(), busy_ratios());
    if (!at) return;
    soaking_->calibrator.calibrate(loop_, *at);
    if (active_) soaking_->sampler->restart();
}

void Agent::tick() {
    // What was missed while calibrating is not made up for.
    next_tick_ = std::max(next_tick_ + tick_length, base::monotonic_now());
    if (active_) heed_soakers();
    if (active_) account_.add(take_reading());
    publish();
}

/// Soakers that have died, or are no longer those that should be, make way for new ones.
void Agent::heed_soakers() {
    const auto cpus = choose_cpus(plan_.cpus);
    if (soaking_->instrument.ended()) {
        surroundings_.say("the soakers' process was killed; it is started again");
        ++restarts_;
    } else if (counter_ && soaking_->sampler->clock_failures() > trusted_clock_failures) {
        surroundings_.say("the CPU's counter has parted from the kernel's clock, as after a "
                          "migration: from now on by clock_gettime");
        counter_ = false;
    } else if (cpus != cpus_) {
        surroundings_.say(fmt::format("CPUs are now {}, they were {}", base::format_cpu_list(cpus),
                                      base::format_cpu_list(cpus_)));
    } else {
        return;
    }
    deactivate();
    soaking_.reset();
    use_cpus(cpus);
}

demand::Account::Reading Agent::take_reading() {
    demand::Account::Reading reading{.counters = probes_->read()};
    if (!soaking_) return reading;
    // A thread that has not been on its CPU yet has no name.
    auto& times = soaking_->times;
    if (!times || times->count() < cpus_.size())
        times.emplace(base::Root(), soaking_->instrument.pid(), "soak");
    reading.soakers = times->read();
    return reading;
}

std::vector<double> Agent::busy_ratios() {
    std::vector<double> ratios;
    for (const int cpu : cpus_)
        ratios.push_back(account_.busy_ratio(cpu).value_or(1));
    return ratios;
}

void Agent::publish() {
    auto totals = std::make_shared<demand::Totals>(account_.totals());
    totals->unix_seconds = unix_now();
    if (!active_) {
        totals->time = base::monotonic_raw_now();
        totals->obstacle = pause_wanted_ ? "a measurement on this host has the CPUs" : obstacle_;
    }
    totals->duty_ratio = plan_.duty_ratio;
    totals->paused = inactive_;
    if (!active_) totals->paused += base::monotonic_now() - inactive_since_;
    totals->soaker_restarts = restarts_;
    totals->own = probes::read_own_usage(base::Root());
    totals->host = host_;
    const auto add = [&](const base::Warnings& more) {
        totals->warnings.insert(totals->warnings.end(), more.begin(), more.end());
    };
    add(probes_->warnings());
    if (soaking_) {
        totals->yielding = soak::to_string(soaking_->instrument.yielding());
        totals->calibration = soaking_->calibrator.state();
        totals->calibration_unix_seconds = soaking_->calibrator.oldest_unix_seconds();
        add(soaking_->instrument.warnings());
    }
    surroundings_.publish(std::move(totals));
}

/// Said once, however often it is met.
void Agent::meet(const std::string& obstacle) {
    if (obstacle != std::exchange(obstacle_, obstacle)) surroundings_.say(obstacle);
}

} // namespace agent
