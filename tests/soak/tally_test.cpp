#include "tests/soak/usual.h"

#include <gtest/gtest.h>

namespace soak {
namespace {

TEST(Tally, the_difference_is_that_of_every_sum) {
    Tally expected = usual::filled(4);
    expected.begin = usual::filled(3).until;
    EXPECT_EQ(usual::words(usual::filled(7) - usual::filled(3)), usual::words(expected));
}

TEST(Tally, stalls_are_those_of_all_kinds) {
    Tally tally;
    tally.chunks[0].stalled = 1;
    tally.chunks[1].stalled = 20;
    tally.chunks[2].stalled = 300;
    EXPECT_EQ(tally.stalls(), 321);
}

TEST(ScheduledChunk, every_sixteenth_is_a_yardstick_in_turn) {
    std::array<int, chunk_kinds> count{};
    for (uint32_t i = 0; i < 3200; ++i)
        ++count[index(scheduled_chunk(i))];
    EXPECT_EQ(count[index(ChunkKind::walk)], 3000);
    EXPECT_EQ(count[index(ChunkKind::latency)], 100);
    EXPECT_EQ(count[index(ChunkKind::throughput)], 100);
    EXPECT_EQ(scheduled_chunk(15), ChunkKind::latency);
    EXPECT_EQ(scheduled_chunk(31), ChunkKind::throughput);
}

} // namespace
} // namespace soak
