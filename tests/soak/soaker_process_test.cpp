#include "soak/soaker_process.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace soak {
namespace {

/// One soaker without a working set.
std::vector<SoakerPlan> one(const Topology& topology) { return {{.cpu = topology.cpus().front()}}; }

TEST(SoakerProcess, is_in_its_own_session_from_the_start) {
    // Whoever weakens its autogroup then must not hit ours.
    const Topology topology;
    for (int i = 0; i < 10; ++i) {
        const SoakerProcess process(topology, one(topology));
        EXPECT_EQ(getsid(process.pid()), process.pid());
    }
}

TEST(SoakerProcess, holds_none_of_our_descriptors) {
    const Topology topology;
    const auto pipe = base::make_pipe();
    const SoakerProcess process(topology, one(topology));
    const auto held = "/proc/" + std::to_string(process.pid()) + "/fd/";
    std::error_code gone;
    for (int fd = 0; fd < 3; ++fd)
        EXPECT_EQ(std::filesystem::read_symlink(held + std::to_string(fd), gone), "/dev/null");
    for (const int fd : {pipe.read.get(), pipe.write.get()})
        EXPECT_FALSE(std::filesystem::exists(held + std::to_string(fd), gone));
}

TEST(SoakerProcess, has_a_slot_for_every_plan) {
    const Topology topology;
    auto plans = one(topology);
    plans.push_back(plans[0]);
    const SoakerProcess process(topology, plans);
    ASSERT_EQ(process.slots().size(), 2u);
    for (const auto& slot : process.slots())
        EXPECT_EQ(slot.mode(), Mode::park);
    EXPECT_FALSE(process.ended());
}

} // namespace
} // namespace soak
