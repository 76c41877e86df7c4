#include "soak/chunk.h"
#include "soak/working_set.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace soak {
namespace {

using Line = WorkingSet::Line;

/// Lines in the order they are walked in, as indices, until one comes again.
std::vector<std::ptrdiff_t> walk_order(const WorkingSet& set) {
    std::vector<std::ptrdiff_t> order;
    std::set<const Line*> seen;
    for (const Line* line = set.position; seen.insert(line).second; line = line->next)
        order.push_back(line - set.lines.data());
    return order;
}

std::vector<std::ptrdiff_t> order_of(size_t lines, uint64_t seed) {
    std::vector<Line> memory(lines);
    return walk_order(make_working_set(std::as_writable_bytes(std::span(memory)), seed));
}

TEST(WorkingSet, is_one_cycle_through_all_lines) {
    for (const size_t lines : {1u, 2u, 3u, 64u, 1000u}) {
        std::vector<Line> memory(lines);
        const auto set = make_working_set(std::as_writable_bytes(std::span(memory)), 1);
        EXPECT_EQ(set.lines.size(), lines);
        const auto order = walk_order(set);
        EXPECT_EQ(order.size(), lines);
        EXPECT_EQ(set.lines[static_cast<size_t>(order.back())].next, set.position);
    }
}

TEST(WorkingSet, no_line_leads_to_itself) {
    std::vector<Line> memory(1000);
    const auto set = make_working_set(std::as_writable_bytes(std::span(memory)), 1);
    for (const auto& line : set.lines)
        EXPECT_NE(line.next, &line);
}

TEST(WorkingSet, the_order_depends_on_the_seed_alone) {
    EXPECT_EQ(order_of(1000, 7), order_of(1000, 7));
    EXPECT_NE(order_of(1000, 7), order_of(1000, 8));
}

TEST(WorkingSet, neighbours_in_memory_are_seldom_neighbours_in_the_walk) {
    const auto order = order_of(1000, 1);
    int ascending = 0;
    for (size_t i = 1; i < order.size(); ++i)
        ascending += order[i] == order[i - 1] + 1;
    EXPECT_LT(ascending, 20);
}

TEST(WorkingSet, a_rest_below_a_line_is_left_alone) {
    std::vector<Line> memory(4);
    const auto bytes = std::as_writable_bytes(std::span(memory));
    bytes[3 * sizeof(Line)] = std::byte{42};
    bytes[4 * sizeof(Line) - 1] = std::byte{43};
    const auto set = make_working_set(bytes.first(4 * sizeof(Line) - 1), 1);
    EXPECT_EQ(set.lines.size(), 3u);
    EXPECT_EQ(walk_order(set).size(), 3u);
    EXPECT_EQ(bytes[3 * sizeof(Line)], std::byte{42});
    EXPECT_EQ(bytes[4 * sizeof(Line) - 1], std::byte{43});
}

TEST(WorkingSet, of_less_than_a_line_is_empty) {
    std::vector<Line> memory(1);
    EXPECT_TRUE(make_working_set({}, 1).empty());
    EXPECT_TRUE(make_working_set(std::as_writable_bytes(std::span(memory)).first(63), 1).empty());
}

TEST(WorkingSet, flushing_changes_nothing_but_the_caches) {
    std::vector<Line> memory(1000);
    const auto set = make_working_set(std::as_writable_bytes(std::span(memory)), 1);
    const auto before = walk_order(set);
    flush_lines(set.lines);
    EXPECT_EQ(walk_order(set), before);
}

TEST(WalkingChunk, goes_on_where_the_last_one_ended_and_writes_every_fifth_line) {
    std::vector<Line> memory(1000);
    auto set = make_working_set(std::as_writable_bytes(std::span(memory)), 1);
    const auto order = walk_order(set);
    for (unsigned i = 0; i < 3; ++i)
        run_chunk(ChunkKind::walk, set);
    EXPECT_EQ(set.position - set.lines.data(), order[3 * lines_per_chunk]);
    uint64_t visits = 0;
    for (const auto& line : set.lines)
        visits += line.visits;
    EXPECT_EQ(visits, 3 * ((lines_per_chunk + 4) / 5));
}

TEST(WalkingChunk, without_a_working_set_is_a_chain) {
    WorkingSet empty;
    run_chunk(ChunkKind::walk, empty);
    EXPECT_EQ(empty.position, nullptr);
}

} // namespace
} // namespace soak
