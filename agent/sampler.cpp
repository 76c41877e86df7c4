#include "agent/sampler.h"

#include <algorithm>
#include <optional>

namespace agent {
namespace {

/// Windows whose activity is compared with that around them: no more than that often, since on a
/// host of many CPUs reading it costs more than a window.
constexpr auto comparison_pause = std::chrono::milliseconds(500);
constexpr auto constant_window = std::chrono::seconds(1);

/// A CPU that shares its core with none stands for a core of its own.
std::vector<int> cores_of(const soak::Instrument& instrument) {
    std::vector<int> cores;
    for (const int cpu : instrument.cpus()) {
        const auto siblings = instrument.topology().place(cpu).siblings;
        cores.push_back(siblings.empty() ? cpu : siblings.front());
    }
    return cores;
}

class RandomSampler final : public Sampler {
  public:
    RandomSampler(const Sampled& sampled, const Schedule::Plan& plan, uint64_t seed)
        : sampled_(sampled), plan_(plan),
          schedule_(cores_of(sampled.instrument), plan, seed, base::monotonic_now()),
          throttling_(base::Root(), sampled.instrument.pid()),
          begun_(sampled.instrument.cpus().size()) {}
    ~RandomSampler() override { restart(); }

    Nanoseconds next() const override { return schedule_.next().at; }
    bool open() const override { return open_ > 0; }

    void step() override {
        const auto step = schedule_.next();
        switch (step.what) {
        case Schedule::What::soak:
            if (!schedule_.take(step, base::monotonic_now())) return;
            sampled_.instrument.soak(step.cpu);
            ++open_;
            return;
        case Schedule::What::begin:
            begin(step.cpu);
            break;
        case Schedule::What::read:
            read(step.cpu);
            --open_;
            break;
        }
        schedule_.take(step, base::monotonic_now()); // reading takes its time, too
    }

    void restart() override {
        for (size_t at = 0; at < begun_.size(); ++at)
            sampled_.instrument.park(at);
        open_ = 0;
        last_compared_.reset();
        schedule_.restart(base::monotonic_now());
    }

  private:
    struct Edge {
        soak::Snapshot soaker;
        soak::StallCounts stalls;
        uint64_t throttled = 0;
        std::optional<probes::Counters> counters; ///< where it is compared
    };

    void begin(size_t at) {
        auto& edge = begun_[at];
        edge = {};
        const auto now = base::monotonic_now();
        if (now - compared_at_ >= comparison_pause) {
            compared_at_ = now;
            edge.counters = sampled_.probes.read();
        }
        edge.throttled = throttling_.read();
        edge.stalls = sampled_.instrument.stalls(at);
        edge.soaker = sampled_.instrument.snapshot(at);
        sampled_.instrument.park(at, plan_.window);
    }

    void read(size_t at) {
        const auto& edge = begun_[at];
        const auto end = sampled_.instrument.snapshot(at);
        if (edge.counters) compare(*edge.counters, sampled_.probes.read());
        auto windows = sampled_.instrument.window(edge.soaker, end, at);
        auto& reason = windows.discarded;
        clock_failures_ = reason == "clock" ? clock_failures_ + 1 : 0;
        if (reason.empty() && throttling_.read() != edge.throttled) reason = "throttled";
        if (reason.empty() && windows.cpus.empty())
            reason = end.cpus.front().displaced ? "displaced" : "uncalibrated";
        if (!reason.empty()) return sampled_.account.discard_window(reason);
        const auto& window = windows.cpus.front();
        sampled_.account.add_window(edge.soaker.time.raw, window,
                                    sampled_.instrument.stalls(at) - edge.stalls);
        sampled_.on_window(at, window);
    }

    /// The window, and what was since the last one that was compared.
    void compare(const probes::Counters& begin, const probes::Counters& end) {
        if (last_compared_)
            sampled_.account.compare(demand::make_activity(end - begin),
                                     demand::make_activity(begin - *last_compared_));
        last_compared_ = end;
    }

    Sampled sampled_;
    Schedule::Plan plan_;
    Schedule schedule_;
    probes::Throttling throttling_;
    std::vector<Edge> begun_; ///< the first edge of each CPU's window
    int open_ = 0;
    Nanoseconds compared_at_{};
    std::optional<probes::Counters> last_compared_; ///< the last edge of the last such window
};

class ConstantSampler final : public Sampler {
  public:
    explicit ConstantSampler(const Sampled& sampled)
        : sampled_(sampled), throttling_(base::Root(), sampled.instrument.pid()) {
        restart();
    }
    ~ConstantSampler() override { sampled_.instrument.park(); }

    Nanoseconds next() const override { return next_; }
    bool open() const override { return false; } // a window can be given up at any time

    void restart() override {
        sampled_.instrument.soak();
        last_.reset();
        next_ = base::monotonic_now() + std::chrono::milliseconds(20); // while caches settle
    }

    void step() override {
        auto edge = read_edge();
        if (last_) keep(*last_, edge);
        last_ = std::move(edge);
        next_ = std::max(next_ + constant_window, base::monotonic_now());
    }

  private:
    struct Edge {
        soak::Snapshot soakers;
        std::vector<soak::StallCounts> stalls;
        uint64_t throttled = 0;
    };

    Edge read_edge() {
        Edge edge{.soakers = sampled_.instrument.snapshot(), .throttled = throttling_.read()};
        for (size_t at = 0; at < sampled_.instrument.cpus().size(); ++at)
            edge.stalls.push_back(sampled_.instrument.stalls(at));
        return edge;
    }

    void keep(const Edge& begin, const Edge& end) {
        auto windows = sampled_.instrument.window(begin.soakers, end.soakers);
        auto& reason = windows.discarded;
        clock_failures_ = reason == "clock" ? clock_failures_ + 1 : 0;
        if (reason.empty() && end.throttled != begin.throttled) reason = "throttled";
        if (reason.empty() && windows.elapsed > constant_window * 3 / 2) reason = "overrun";
        if (!reason.empty()) return sampled_.account.discard_window(reason);
        const auto& cpus = sampled_.instrument.cpus();
        for (const auto& window : windows.cpus) {
            const auto at =
                static_cast<size_t>(std::find(cpus.begin(), cpus.end(), window.cpu) - cpus.begin());
            sampled_.account.add_window(begin.soakers.time.raw, window,
                                        end.stalls[at] - begin.stalls[at]);
            sampled_.on_window(at, window);
        }
    }

    Sampled sampled_;
    probes::Throttling throttling_;
    std::optional<Edge> last_;
    Nanoseconds next_{};
};

} // namespace

std::unique_ptr<Sampler> make_random_sampler(const Sampled& sampled, const Schedule::Plan& plan,
                                             uint64_t seed) {
    return std::make_unique<RandomSampler>(sampled, plan, seed);
}

std::unique_ptr<Sampler> make_constant_sampler(const Sampled& sampled) {
    return std::make_unique<ConstantSampler>(sampled);
}

} // namespace agent
