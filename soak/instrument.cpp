#include "soak/instrument.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <sched.h>

namespace soak {
namespace {

using std::chrono::milliseconds;

constexpr auto calibration_window = milliseconds(20);
constexpr int calibration_windows = 45;
constexpr int check_windows = 5;
/// Of so many windows, on a machine that seldom leaves us alone.
constexpr int most_rounds = 3;
/// How long the soakers may take to answer; on a busy CPU they seldom run.
constexpr auto patience = std::chrono::seconds(10);
constexpr size_t most_evicting_bytes = 64 << 20;

base::CpuList choose_cpus(const Topology& topology, const base::CpuList& wanted) {
    const auto allowed = topology.cpus();
    if (wanted.empty()) return unreserved(allowed, base::Root());
    for (const int cpu : wanted)
        if (!std::binary_search(allowed.begin(), allowed.end(), cpu))
            throw base::UsageError(fmt::format("--cpus: CPU {} is not among those this process may "
                                               "use ({})",
                                               cpu, base::format_cpu_list(allowed)));
    return wanted;
}

/// Twice the thread's share of L2, and the working set several times over.
size_t evicting_bytes(const CpuPlace& place, size_t working_set_bytes) {
    const auto l2 = place.cache_share_bytes.find(2);
    const size_t share = l2 == place.cache_share_bytes.end() ? 0 : l2->second;
    return std::min(std::max(2 * share, 4 * working_set_bytes), most_evicting_bytes);
}

bool acknowledged(const Slot& slot) { return slot.acknowledged(); }

void keep_samples(ChunkSamples& kept, Sampled what, const Slot& slot, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const auto& sample = slot.samples()[i];
        switch (what) {
        case Sampled::warm:
            kept.warm[index(sample.kind)].push_back(sample.ticks);
            break;
        case Sampled::cold:
            kept.cold.push_back(sample.ticks);
            break;
        case Sampled::evicted:
            kept.evicted.push_back(sample.ticks);
            break;
        case Sampled::readings:
            kept.readings.push_back(sample.ticks);
            break;
        }
    }
}

} // namespace

Instrument::Instrument(const Options& options)
    : cpus_(choose_cpus(topology_, options.cpus)),
      timebase_(options.counter ? Timebase::measure() : Timebase::system()) {
    for (const int cpu : cpus_) {
        const auto place = topology_.place(cpu);
        const auto size = working_set_size(place, options.working_set);
        if (!size.note.empty())
            warnings_.push_back({"working-set", fmt::format("working set of CPU {}: {} KiB; {}",
                                                            cpu, size.bytes / 1024, size.note)});
        plans_.push_back({.cpu = cpu,
                          .working_set_bytes = size.bytes,
                          .evicting_bytes = evicting_bytes(place, size.bytes),
                          .counter = timebase_.counter()});
    }
    process_ = std::make_unique<SoakerProcess>(topology_, plans_, options.record);
    yielding_ = make_yielding(base::Root(), options.yield, getpid(), process_->pid());
    warnings_.insert(warnings_.end(), yielding_.warnings.begin(), yielding_.warnings.end());
    if (!timebase_.counter())
        warnings_.push_back({"no-counter",
                             "the CPU's time-stamp counter is not steady here; chunks "
                             "are timed by clock_gettime, which is coarser"});
}

Instrument::Part Instrument::part(size_t at) const {
    return {process_->slots().subspan(at, 1), std::span(plans_).subspan(at, 1)};
}

void Instrument::command(Mode mode, const Part& part) {
    const Ticks edge = timebase_.now();
    for (auto& slot : part.slots)
        slot.command(mode, edge);
}

void Instrument::soak() { command(Mode::soak, all()); }
void Instrument::park() { command(Mode::park, all()); }

void Instrument::park(size_t at, Nanoseconds later) {
    process_->slots()[at].command(Mode::park, timebase_.now() + timebase_.ticks(later));
}

bool Instrument::settled() const {
    const auto slots = process_->slots();
    return std::all_of(slots.begin(), slots.end(), [](const Slot& s) { return s.acknowledged(); });
}

bool Instrument::wait_for(base::Loop& loop, const Part& part,
                          const std::function<bool(const Slot&)>& reached) const {
    const auto deadline = base::monotonic_now() + patience;
    while (!std::all_of(part.slots.begin(), part.slots.end(), reached)) {
        const auto now = base::monotonic_now();
        if (now > deadline || ended() || !loop.run_until(now + milliseconds(1))) return false;
    }
    return true;
}

void Instrument::use(const Calibration& calibration) {
    calibration_ = calibration;
    for (size_t i = 0; i < plans_.size(); ++i)
        if (const auto* cpu = calibration.find(plans_[i].cpu))
            process_->slots()[i].set_limits(cpu->limits);
}

bool Instrument::sample(base::Loop& loop, const Part& part, Sampled what, size_t count,
                        std::vector<ChunkSamples>& samples) {
    for (auto& slot : part.slots)
        slot.set_sampled(what);
    command(Mode::sample, part);
    const bool reached = wait_for(loop, part, [&](const Slot& slot) {
        return slot.acknowledged() && slot.sample_count() >= count;
    });
    for (size_t i = 0; reached && i < samples.size(); ++i)
        keep_samples(samples[i], what, part.slots[i], count);
    command(Mode::park, part);
    return wait_for(loop, part, acknowledged) && reached;
}

/// The tallies of many short windows: first index the CPU.
void Instrument::add_short_windows(base::Loop& loop, const Part& part, int count,
                                   std::vector<std::vector<Tally>>& tallies) {
    command(Mode::soak, part);
    wait_for(loop, part, acknowledged);
    auto edge = base::monotonic_now();
    auto last = snapshot(part);
    for (int i = 0; i < count && loop.run_until(edge += calibration_window); ++i) {
        auto next = snapshot(part);
        for (size_t cpu = 0; cpu < part.plans.size(); ++cpu)
            tallies[cpu].push_back(next.cpus[cpu].tally - last.cpus[cpu].tally);
        last = std::move(next);
    }
    command(Mode::park, part);
    wait_for(loop, part, acknowledged);
}

std::optional<Calibration> Instrument::calibrate(base::Loop& loop) {
    auto calibration = calibrate(loop, all());
    if (calibration) calibration_ = *calibration;
    return calibration;
}

std::optional<CpuCalibration> Instrument::calibrate_alone(base::Loop& loop, size_t at) {
    const auto calibration = calibrate(loop, part(at));
    if (!calibration) return std::nullopt;
    std::erase_if(calibration_.cpus, [&](const auto& cpu) { return cpu.cpu == cpus_[at]; });
    calibration_.ticks_per_ns = calibration->ticks_per_ns;
    calibration_.counter = calibration->counter;
    return calibration_.cpus.emplace_back(calibration->cpus.front());
}

std::optional<Calibration> Instrument::calibrate(base::Loop& loop, const Part& part) {
    constexpr auto few = Slot::few_samples;
    std::vector<ChunkSamples> samples(part.plans.size());
    command(Mode::park, part);
    if (!wait_for(loop, part, acknowledged) ||
        !sample(loop, part, Sampled::warm, Slot::most_samples, samples) ||
        !sample(loop, part, Sampled::readings, few, samples) ||
        !sample(loop, part, Sampled::cold, few, samples) ||
        !sample(loop, part, Sampled::evicted, few, samples))
        return std::nullopt;
    for (size_t i = 0; i < part.plans.size(); ++i)
        part.slots[i].set_limits(make_limits(samples[i], timebase_.ticks_per_ns()));
    std::vector<std::vector<Tally>> tallies(part.plans.size());
    std::optional<Calibration> calibration;
    for (int round = 0; round < most_rounds; ++round) {
        add_short_windows(loop, part, calibration_windows, tallies);
        if (loop.stopped() || ended()) return std::nullopt;
        calibration = make_calibration(part, samples, tallies);
        if (!calibration->uncertain()) break;
    }
    return calibration;
}

bool Instrument::contradicts_calibration(base::Loop& loop) {
    std::vector<std::vector<Tally>> tallies(plans_.size());
    add_short_windows(loop, all(), check_windows, tallies);
    for (size_t i = 0; i < plans_.size(); ++i) {
        const auto* calibration = calibration_.find(plans_[i].cpu);
        std::vector<CpuWindow> windows;
        for (const auto& tally : tallies[i])
            if (calibration) windows.push_back(split(tally, *calibration, timebase_));
        if (soak::contradicts_calibration(windows)) return true;
    }
    return false;
}

Calibration Instrument::make_calibration(const Part& part, const std::vector<ChunkSamples>& samples,
                                         const std::vector<std::vector<Tally>>& tallies) const {
    Calibration calibration{.ticks_per_ns = timebase_.ticks_per_ns(),
                            .counter = timebase_.counter()};
    for (size_t i = 0; i < part.plans.size(); ++i)
        calibration.cpus.push_back(
            calibrate_cpu(part.plans[i].cpu, samples[i], part.slots[i].limits(), tallies[i]));
    return calibration;
}

Snapshot Instrument::snapshot() const { return snapshot(all()); }

Snapshot Instrument::snapshot(const Part& part) const {
    Snapshot snapshot;
    snapshot.time = timebase_.read_pair();
    for (const auto& slot : part.slots) {
        const bool parked = slot.mode() == Mode::park;
        auto& cpu = snapshot.cpus.emplace_back(make_cpu_snapshot(
            slot.read(), slot.begin(), parked ? slot.end() : snapshot.time.ticks, slot.limits()));
        cpu.displaced = slot.displaced();
    }
    snapshot.own_cpu = base::thread_cpu_time();
    snapshot.own_place = sched_getcpu();
    return snapshot;
}

Windows Instrument::window(const Snapshot& earlier, const Snapshot& later) const {
    if (ended()) return {.discarded = "soakers-ended"};
    return make_windows(earlier, later, cpus_, calibration_, timebase_);
}

Windows Instrument::window(const Snapshot& earlier, const Snapshot& later, size_t at) const {
    if (ended()) return {.discarded = "soakers-ended"};
    return make_windows(earlier, later, {cpus_[at]}, calibration_, timebase_);
}

std::span<RecordRing> Instrument::start_recording() {
    for (auto& ring : process_->rings())
        ring.set_wanted(true);
    return process_->rings();
}

} // namespace soak
