#include "base/cpu_list.h"
#include "base/error.h"
#include "soak/topology.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace soak {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr size_t kib = 1024, mib = 1024 * kib;

/// Two packages with a NUMA node and an L3 each, four cores in pairs that share an L2, two hardware
/// threads a core.
const std::string server = "package:2 [numa] l3:1(size=33554432) l2:2(size=2097152) "
                           "l1d:2(size=49152) core:1 pu:2";

TEST(Topology, siblings_are_the_threads_of_one_core) {
    const Topology topology(server);
    EXPECT_EQ(topology.place(0).siblings, (base::CpuList{0, 1}));
    EXPECT_EQ(topology.place(5).siblings, (base::CpuList{4, 5}));
    EXPECT_EQ(topology.place(5).cpu, 5);
}

TEST(Topology, a_cache_is_shared_by_the_threads_below_it) {
    const auto place = Topology(server).place(3);
    EXPECT_EQ(place.cache_share_bytes.at(1), 24 * kib);
    EXPECT_EQ(place.cache_share_bytes.at(2), 512 * kib);
    EXPECT_EQ(place.cache_share_bytes.at(3), 4 * mib);
}

TEST(Topology, tells_the_numa_node) {
    const Topology topology(server);
    EXPECT_EQ(topology.place(7).numa_node, 0);
    EXPECT_EQ(topology.place(8).numa_node, 1);
}

TEST(Topology, a_core_with_one_thread_has_itself) {
    const Topology topology("package:1 core:4 pu:1");
    EXPECT_EQ(topology.place(2).siblings, base::CpuList{2});
}

TEST(Topology, caches_that_nobody_describes_are_absent) {
    EXPECT_THAT(Topology("package:1 core:2 pu:1").place(0).cache_share_bytes, IsEmpty());
}

TEST(Topology, instruction_caches_do_not_count) {
    const Topology topology("package:1 l2:1(size=1048576) l1i:1(size=65536) core:1 pu:1");
    EXPECT_FALSE(topology.place(0).cache_share_bytes.contains(1));
    EXPECT_TRUE(topology.place(0).cache_share_bytes.contains(2));
}

TEST(Topology, of_512_cpus) {
    const Topology topology("package:4 [numa] l3:8(size=33554432) l2:8(size=1048576) core:1 pu:2");
    EXPECT_EQ(topology.cpus().size(), 512u);
    EXPECT_EQ(topology.place(511).siblings, (base::CpuList{510, 511}));
    EXPECT_EQ(topology.place(511).numa_node, 3);
    EXPECT_EQ(topology.place(511).cache_share_bytes.at(3), 2 * mib);
}

TEST(Topology, binding_in_a_made_up_machine_does_nothing) {
    const Topology topology(server);
    EXPECT_NO_THROW(topology.bind_thread(15));
}

TEST(Topology, a_cpu_that_is_not_there_is_named) {
    const Topology topology(server);
    for (const int cpu : {16, 4096, -1}) {
        try {
            topology.place(cpu);
            FAIL() << "there is a CPU " << cpu;
        } catch (const std::invalid_argument& error) {
            EXPECT_THAT(error.what(), HasSubstr(std::to_string(cpu)));
        }
        EXPECT_THROW(topology.bind_thread(cpu), std::invalid_argument);
    }
}

TEST(Topology, a_description_that_makes_no_sense_throws) {
    EXPECT_THROW(Topology("package:none"), std::system_error);
}

// This machine

TEST(Topology, knows_the_cpus_of_the_thread) {
    const Topology topology;
    const auto cpus = topology.cpus();
    EXPECT_EQ(cpus, base::usable_cpus());
    for (const int cpu : cpus) {
        const auto siblings = topology.place(cpu).siblings;
        EXPECT_TRUE(std::binary_search(siblings.begin(), siblings.end(), cpu));
    }
}

TEST(Topology, pins_the_calling_thread_alone) {
    const Topology topology;
    const auto before = topology.cpus();
    std::thread([&] {
        topology.bind_thread(before.back());
        EXPECT_EQ(sched_getcpu(), before.back());
        EXPECT_EQ(topology.cpus(), base::CpuList{before.back()});
    }).join();
    EXPECT_EQ(topology.cpus(), before);
}

TEST(Topology, memory_is_whole_pages_of_zeros) {
    const Topology topology;
    const auto memory = topology.allocate_near(topology.cpus().front(), 256 * kib);
    ASSERT_EQ(memory.size(), 256 * kib);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % 4096, 0u);
    EXPECT_TRUE(std::all_of(memory.begin(), memory.end(),
                            [](std::byte byte) { return byte == std::byte{0}; }));
    EXPECT_TRUE(topology.allocate_near(topology.cpus().front(), 0).empty());
}

// CPUs that the kernel keeps clear

TEST(Unreserved, leaves_out_isolated_and_tickless_cpus) {
    const RecordedRoot machine;
    machine.write("sys/devices/system/cpu/isolated", "2-3\n");
    machine.write("sys/devices/system/cpu/nohz_full", "3,5\n");
    EXPECT_EQ(unreserved({0, 1, 2, 3, 4, 5, 6}, machine.root()), (base::CpuList{0, 1, 4, 6}));
}

TEST(Unreserved, is_all_where_none_are_kept_clear) {
    const RecordedRoot machine;
    EXPECT_EQ(unreserved({0, 1}, machine.root()), (base::CpuList{0, 1}));
    machine.write("sys/devices/system/cpu/isolated", "\n");
    machine.write("sys/devices/system/cpu/nohz_full", "  (null)\n"); // so old kernels say
    EXPECT_EQ(unreserved({0, 1}, machine.root()), (base::CpuList{0, 1}));
}

// The working set

WorkingSetSize size_of(const std::string& choice, std::map<int, size_t> caches = {}) {
    return working_set_size({.cpu = 0, .siblings = {0}, .cache_share_bytes = std::move(caches)},
                            WorkingSetChoice::parse(choice));
}

TEST(WorkingSetChoice, is_half_of_l2_by_default) {
    EXPECT_EQ(WorkingSetChoice().text(), "l2");
    EXPECT_EQ(working_set_size({.cache_share_bytes = {{2, 1 * mib}}}, {}).bytes, 512 * kib);
}

TEST(WorkingSetChoice, parses_what_it_prints) {
    for (const char* text : {"none", "l1", "l2", "l3", "65536"})
        EXPECT_EQ(WorkingSetChoice::parse(text).text(), text);
    EXPECT_EQ(WorkingSetChoice::parse("512K").text(), "524288");
    EXPECT_EQ(WorkingSetChoice::parse("0").text(), "none");
}

TEST(WorkingSetChoice, refuses_everything_else_and_says_what_it_takes) {
    for (const char* text : {"", "l4", "l0", "L2", "half", "-1", "12Q", "nan"}) {
        try {
            WorkingSetChoice::parse(text);
            ADD_FAILURE() << text;
        } catch (const base::UsageError& error) {
            EXPECT_THAT(error.what(), HasSubstr("--working-set"));
            EXPECT_THAT(error.what(), HasSubstr(std::string("'") + text + "'"));
            EXPECT_THAT(error.what(), HasSubstr("none, l1, l2, l3"));
        }
    }
}

TEST(WorkingSetSize, is_half_of_the_share_of_the_chosen_cache) {
    const std::map<int, size_t> caches = {{1, 24 * kib}, {2, 512 * kib}, {3, 4 * mib}};
    EXPECT_EQ(size_of("l1", caches).bytes, 12 * kib);
    EXPECT_EQ(size_of("l2", caches).bytes, 256 * kib);
    EXPECT_EQ(size_of("l3", caches).bytes, 2 * mib);
    EXPECT_THAT(size_of("l3", caches).note, IsEmpty());
}

TEST(WorkingSetSize, of_an_absurd_cache_is_capped_with_a_note) {
    const auto size = size_of("l3", {{3, 508 * mib}});
    EXPECT_EQ(size.bytes, 16 * mib);
    EXPECT_THAT(size.note, HasSubstr("254 MiB"));
    EXPECT_THAT(size.note, HasSubstr("16 MiB"));
}

TEST(WorkingSetSize, of_an_unknown_cache_is_a_usual_one_with_a_note) {
    EXPECT_EQ(size_of("l1").bytes, 16 * kib);
    EXPECT_EQ(size_of("l2").bytes, 512 * kib);
    EXPECT_EQ(size_of("l3").bytes, 4 * mib);
    EXPECT_EQ(size_of("l2", {{2, 0}}).bytes, 512 * kib);
    EXPECT_THAT(size_of("l2").note, HasSubstr("L2"));
}

TEST(WorkingSetSize, in_bytes_is_whole_lines_whatever_the_caches) {
    EXPECT_EQ(size_of("1000").bytes, 15u * 64);
    EXPECT_EQ(size_of("63").bytes, 0u);
    EXPECT_EQ(size_of("none", {{2, mib}}).bytes, 0u);
    EXPECT_THAT(size_of("none").note, IsEmpty());
    EXPECT_EQ(size_of("1G").bytes, 16 * mib);
    EXPECT_THAT(size_of("1G").note, HasSubstr("1024 MiB"));
}

} // namespace
} // namespace soak
