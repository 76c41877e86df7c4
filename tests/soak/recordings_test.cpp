#include "soak/replay.h"

#include <gmock/gmock.h>

#include <fstream>

namespace soak {
namespace {

// Moments that are difficult to measure, as they were: recordings of CPU 1, and the causes that the
// live view printed with them.

/// A window's causes in ns.
struct Printed {
    int64_t tasks, interrupts, core, cache, unexplained;
    bool operator==(const Printed&) const = default;
};

void PrintTo(const Printed& window, std::ostream* out) {
    *out << "{" << window.tasks << ", " << window.interrupts << ", " << window.core << ", "
         << window.cache << ", " << window.unexplained << "}";
}

Printed printed(const Causes& causes) {
    return {causes.tasks.count(), causes.interrupts.count(), causes.core.count(),
            causes.cache.count(), causes.unexplained.count()};
}

class Recorded {
  public:
    explicit Recorded(const std::string& name)
        : file_(TEST_DATA "/recordings/" + name + ".soak", std::ios::binary), reader_(file_, name) {
    }

    /// Of the only CPU; windows that it is missing from are left out.
    std::vector<Printed> windows() {
        std::vector<Printed> all;
        Replay replay(reader_);
        while (const auto window = replay.next())
            for (const auto& cpu : window->cpus)
                all.push_back(printed(cpu.causes));
        return all;
    }

    /// Calls `look` with every call, and what the accountant remembered before it and after.
    template <typename Look>
    void watch(Look&& look) {
        CpuReplay soaker(limits(), reader_.name());
        while (auto block = reader_.next()) {
            if (block->type != BlockType::records) continue;
            soaker.add(std::move(*block));
            for (auto before = soaker.state(); const auto call = soaker.play_next();
                 before = soaker.state())
                look(*call, before, soaker.state());
        }
    }

    const Limits& limits() const { return reader_.header().calibration.cpus.at(0).limits; }

  private:
    std::ifstream file_;
    RecordingReader reader_;
};

/// For how long the thread's clock stood still between two references.
Ticks stopped(const Reading& earlier, const Reading& later, const Limits& limits) {
    const auto cpu = static_cast<double>(later.cpu_ns - earlier.cpu_ns) * limits.ticks_per_ns;
    return later.before - earlier.before - static_cast<Ticks>(cpu);
}

TEST(Recorded, remote_wake_ups) {
    EXPECT_EQ(Recorded("remote-wake-ups").windows(),
              (std::vector<Printed>{{6501163, 49005, 388559, 379829, -9660},
                                    {6444997, 101056, 364766, 479552, -8307},
                                    {6532398, 72777, 355355, 501435, -8660}}));
}

TEST(Recorded, remote_wake_ups_are_charged_before_they_take_place) {
    int charged_beyond_the_stall = 0;
    Recorded recorded("remote-wake-ups");
    recorded.watch([&](const Call& call, const auto& before, const auto& after) {
        if (call.type != Call::Type::chunk || call.readings.empty()) return;
        const Ticks stall = after.tally.stall_ticks - before.tally.stall_ticks;
        const bool switched = call.switched || before.switched;
        charged_beyond_the_stall +=
            switched && stopped(before.reference, after.reference, recorded.limits()) > stall;
    });
    EXPECT_EQ(charged_beyond_the_stall, 868);
}

TEST(Recorded, interrupted_readings) {
    EXPECT_EQ(Recorded("interrupted-readings").windows(),
              (std::vector<Printed>{{7206177, 2466059, 19455, 11152, -17861},
                                    {5571710, 3971859, 3456, 63301, -2798},
                                    {5247381, 4299374, 35407, 63559, -28206}}));
}

TEST(Recorded, interrupted_readings_were_taken_again) {
    int taken_again = 0;
    Recorded("interrupted-readings").watch([&](const Call& call, const auto&, const auto&) {
        taken_again += call.readings.size() > 1;
    });
    EXPECT_EQ(taken_again, 169);
}

TEST(Recorded, a_neighbour_arrives) {
    EXPECT_EQ(Recorded("neighbour").windows(),
              (std::vector<Printed>{{2162, 153267, 298478, -72527, 2982},
                                    {99297, 72478, 371810, 0, 1464},
                                    {5676579, 91688, 201198, 178654, -571},
                                    {4072641, 182229, 323116, 150000, -1984}}));
}

TEST(Recorded, the_cpu_goes_away) {
    // Two windows more without it: its soaker found itself elsewhere.
    EXPECT_EQ(Recorded("cpu-goes-away").windows(),
              (std::vector<Printed>{{29033, 93799, 718826, 452177, -3065},
                                    {751, 95122, 684560, 436040, -2396}}));
}

} // namespace
} // namespace soak
