#include "base/error.h"
#include "probes/kernel_threads.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

namespace probes {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(NetworkThread, ByName) {
    EXPECT_EQ(parse_network_thread("ksoftirqd/12").value().cpu, 12);
    EXPECT_EQ(parse_network_thread("kworker/3:1H-kblockd").value().cpu, 3);
    EXPECT_EQ(parse_network_thread("backlog_napi/1").value().cpu, 1);
    EXPECT_EQ(parse_network_thread("napi/eth0-8193").value().cpu, std::nullopt);
    EXPECT_FALSE(parse_network_thread("kworker/u8:2"));
    EXPECT_FALSE(parse_network_thread("kworker/R-netns"));
    EXPECT_FALSE(parse_network_thread("bash"));
    EXPECT_FALSE(parse_network_thread(""));
}

TEST(Processor, SurvivesAnyThreadName) {
    const std::string rest = " S 2 0 0 0 -1 69238848 0 0 0 0 0 2 0 0 20 0 1 0 26 0 0 1 0 0 0 0 0 0 "
                             "0 2147483647 0 1 0 0 17 5 0 0 0 0\n";
    EXPECT_EQ(parse_processor("14 (napi/eth0)" + rest), 5);
    EXPECT_EQ(parse_processor("14 (a) b (c 1 2)" + rest), 5);
    EXPECT_THROW(parse_processor("14 (short) S 2 0\n"), base::ParseError);
}

TEST(KernelThreads, CountSinceTheirDiscovery) {
    const RecordedRoot recorded("kvm-guest");
    KernelThreads threads(recorded.root(), {0, 1});
    EXPECT_THAT(threads.read(), ElementsAre(Pair(0, 0ns), Pair(1, 0ns)));
    recorded.write("proc/14/schedstat", "27621300 0 1\n");  // ksoftirqd/0, 32 ns more
    recorded.write("proc/22/schedstat", "38481719 0 1\n");  // ksoftirqd/1, 100 ns more
    recorded.write("proc/33/schedstat", "999999999 0 1\n"); // unbound worker
    EXPECT_THAT(threads.read(), ElementsAre(Pair(0, 32ns), Pair(1, 100ns)));
}

TEST(KernelThreads, ThreadedNapiCountsWhereItRuns) {
    const RecordedRoot recorded("kvm-guest");
    KernelThreads threads(recorded.root(), {0, 1});
    recorded.write("proc/90/schedstat", "7000500 12 3\n");
    EXPECT_THAT(threads.read(), ElementsAre(Pair(0, 0ns), Pair(1, 500ns)));
}

TEST(KernelThreads, OnlyAskedCpus) {
    const RecordedRoot recorded("kvm-guest");
    KernelThreads threads(recorded.root(), {0});
    recorded.write("proc/22/schedstat", "38481719 0 1\n");
    recorded.write("proc/90/schedstat", "7000500 12 3\n");
    EXPECT_THAT(threads.read(), ElementsAre(Pair(0, 0ns)));
}

TEST(KernelThreads, EndedThreadLeavesItsTime) {
    const RecordedRoot recorded("kvm-guest");
    KernelThreads threads(recorded.root(), {0, 1});
    recorded.write("proc/14/schedstat", "27621300 0 1\n");
    threads.read();
    recorded.remove("proc/14");
    recorded.remove("proc/11");
    threads.discover();
    EXPECT_THAT(threads.read(), ElementsAre(Pair(0, 32ns), Pair(1, 0ns)));
}

TEST(KernelThreads, NewThreadCountsFromItsDiscovery) {
    const RecordedRoot recorded("kvm-guest");
    KernelThreads threads(recorded.root(), {0, 1});
    recorded.write("proc/500/comm", "kworker/1:3\n");
    recorded.write("proc/500/schedstat", "5000000 0 1\n");
    threads.discover();
    EXPECT_THAT(threads.read(), ElementsAre(Pair(0, 0ns), Pair(1, 0ns)));
    recorded.write("proc/500/schedstat", "5000007 0 1\n");
    EXPECT_THAT(threads.read(), ElementsAre(Pair(0, 0ns), Pair(1, 7ns)));
}

TEST(KernelThreads, DiscoveryForgetsNothing) {
    const RecordedRoot recorded("kvm-guest");
    KernelThreads threads(recorded.root(), {0, 1});
    recorded.write("proc/14/schedstat", "27621300 0 1\n");
    threads.discover();
    EXPECT_THAT(threads.read(), ElementsAre(Pair(0, 32ns), Pair(1, 0ns)));
}

TEST(KernelThreads, NoneVisible) {
    const RecordedRoot empty;
    KernelThreads threads(empty.root(), {0, 1});
    EXPECT_THAT(threads.read(), IsEmpty());
}

} // namespace
} // namespace probes
