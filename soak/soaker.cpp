#include "soak/soaker.h"

#include "soak/accountant.h"
#include "soak/recorder.h"
#include "soak/switch_flag.h"
#include "soak/working_set.h"

#include <system_error>
#include <vector>

namespace soak {
namespace {

constexpr int warm_up_chunks = 2000;
constexpr int chunks_per_flush = 4;

template <typename Clock>
Reading read_clocks() {
    Reading reading;
    reading.before = Clock::now();
    reading.cpu_ns = base::thread_cpu_time().count();
    reading.after = Clock::now();
    return reading;
}

/// `Accounts`: an Accountant or a Recorder, made from `ring`. Without a recording the loop knows of
/// none.
template <typename Clock, typename Accounts>
class Soaker {
  public:
    template <typename... Ring>
    Soaker(Slot& slot, const SoakerPlace& place, Ring&... ring)
        : slot_(slot), place_(place),
          set_(make_working_set(place.memory, static_cast<uint64_t>(place.cpu) + 1)),
          accounts_(ring...) {}

    /// Not inlined: each kind of soaker has its own registers, whatever others there are.
    [[gnu::noinline]] void run() {
        for (;;) {
            const uint32_t word = slot_.command_word();
            switch (Slot::mode_of(word)) {
            case Mode::quit:
                return;
            case Mode::park:
                rest(word);
                break;
            case Mode::soak:
                soak(word);
                break;
            case Mode::sample:
                sample(word);
                break;
            }
        }
    }

  private:
    void rest(uint32_t word) {
        slot_.acknowledge(word);
        slot_.wait(word);
    }

    void soak(uint32_t word) {
        if (!at_home()) return rest(word);
        flag_.take(); // it slept
        accounts_.begin(slot_.begin(), slot_.limits(), read_clocks<Clock>);
        stalled_ = accounts_.tally().stall_ticks; // waiting for the CPU is none
        slot_.publish(accounts_.tally());
        slot_.acknowledge(word);
        for (uint32_t number = 0;; ++number) {
            const auto kind = scheduled_chunk(number);
            run_chunk(kind, set_);
            const Ticks now = Clock::now();
            const bool switched = flag_.take();
            if (slot_.command_word() != word && now - slot_.end() >= 0) {
                accounts_.end(kind, slot_.end(), switched, read_clocks<Clock>);
                return publish();
            }
            accounts_.chunk_done(kind, now, switched, read_clocks<Clock>);
            publish();
            // A CPU that goes offline hands its threads to others without a word.
            if (switched && flag_.cpu() != place_.cpu) return leave(word);
        }
    }

    void publish() {
        const auto& tally = accounts_.tally();
        slot_.publish(tally);
        if (tally.stall_ticks == stalled_) [[likely]]
            return;
        slot_.count_stall(tally.stall_ticks - stalled_);
        stalled_ = tally.stall_ticks;
    }

    /// On its own CPU? A soaker that was moved tries to go back, else says so.
    bool at_home() {
        if (flag_.cpu() != place_.cpu) {
            try {
                place_.bind();
            } catch (const std::system_error&) { // the CPU is offline
            }
        }
        slot_.set_displaced(flag_.cpu() != place_.cpu);
        return !slot_.displaced();
    }

    void leave(uint32_t word) {
        slot_.set_displaced(true);
        rest(word);
    }

    void sample(uint32_t word) {
        slot_.clear_samples();
        slot_.acknowledge(word);
        word_ = word;
        for (int i = 0; i < warm_up_chunks; ++i)
            run_chunk(ChunkKind::walk, set_);
        switch (slot_.sampled()) {
        case Sampled::warm:
            sample_warm();
            break;
        case Sampled::readings:
            sample_readings();
            break;
        case Sampled::cold:
            sample_after([&] { flush_lines(set_.lines); });
            break;
        case Sampled::evicted: {
            std::vector<std::byte> other(place_.evicting_bytes);
            sample_after([&] { sweep(other); });
            break;
        }
        }
        // The others may still be sampling: a sleeping neighbour would change what they see.
        for (uint32_t i = 0; !called(); ++i)
            run_chunk(scheduled_chunk(i), set_);
    }

    void sample_warm() {
        Ticks last = Clock::now();
        for (uint32_t i = 0; i < Slot::most_samples && !called(); ++i) {
            const auto kind = scheduled_chunk(i);
            run_chunk(kind, set_);
            const Ticks now = Clock::now();
            slot_.add_sample(kind, now - last);
            last = now;
        }
    }

    void sample_readings() {
        for (size_t i = 0; i < Slot::few_samples && !called(); ++i) {
            const auto reading = read_clocks<Clock>();
            slot_.add_sample(ChunkKind::walk, reading.after - reading.before);
        }
    }

    template <typename Disturb>
    void sample_after(Disturb&& disturb) {
        while (slot_.sample_count() < Slot::few_samples && !called()) {
            disturb();
            for (int i = 0; i < chunks_per_flush; ++i) {
                const Ticks before = Clock::now();
                run_chunk(ChunkKind::walk, set_);
                slot_.add_sample(ChunkKind::walk, Clock::now() - before);
            }
        }
    }

    /// Twice: a cache that is not quite least-recently-used keeps lines through one sweep.
    static void sweep(std::vector<std::byte>& memory) {
        for (int i = 0; i < 2; ++i)
            for (size_t at = 0; at < memory.size(); at += sizeof(WorkingSet::Line)) {
                memory[at] ^= std::byte{1};
                opaque(at);
            }
    }

    /// Is there another command than the one that is being followed?
    bool called() const { return slot_.command_word() != word_; }

    Slot& slot_;
    Ticks stalled_ = 0; ///< of all stalls that were counted
    uint32_t word_ = 0; ///< the command that is being followed, in sample()
    const SoakerPlace& place_;
    WorkingSet set_;
    SwitchFlag flag_;
    Accounts accounts_;
};

template <typename Clock>
void run(Slot& slot, const SoakerPlace& place) {
    if (place.ring)
        Soaker<Clock, Recorder>(slot, place, *place.ring).run();
    else
        Soaker<Clock, Accountant>(slot, place).run();
}

} // namespace

void run_soaker(Slot& slot, const SoakerPlace& place) {
    place.bind();
    if (place.counter)
        run<CounterClock>(slot, place);
    else
        run<SystemClock>(slot, place);
}

} // namespace soak
