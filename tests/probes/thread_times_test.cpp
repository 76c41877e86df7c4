#include "probes/thread_times.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

namespace probes {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

void add_thread(const RecordedRoot& recorded, int thread, const std::string& name, long ran) {
    const auto folder = "proc/50/task/" + std::to_string(thread);
    recorded.write(folder + "/comm", name + "\n");
    recorded.write(folder + "/schedstat", std::to_string(ran) + " 12 3\n");
}

TEST(ThreadTimes, are_told_by_the_number_in_the_name) {
    const RecordedRoot recorded;
    add_thread(recorded, 50, "cyclesoak-soak", 5);
    add_thread(recorded, 51, "soak/0", 1000);
    add_thread(recorded, 52, "soak/12", 2000);
    add_thread(recorded, 53, "other/3", 9);
    add_thread(recorded, 54, "soak/x", 9);
    ThreadTimes times(recorded.root(), 50, "soak");
    EXPECT_EQ(times.count(), 2u);
    EXPECT_THAT(times.read(), ElementsAre(Pair(0, 1000ns), Pair(12, 2000ns)));
    add_thread(recorded, 52, "soak/12", 2500);
    EXPECT_THAT(times.read(), ElementsAre(Pair(0, 1000ns), Pair(12, 2500ns)));
}

TEST(ThreadTimes, a_thread_that_has_ended_keeps_its_last) {
    const RecordedRoot recorded;
    add_thread(recorded, 51, "soak/0", 1000);
    ThreadTimes times(recorded.root(), 50, "soak");
    times.read();
    recorded.remove("proc/50/task/51");
    EXPECT_THAT(times.read(), ElementsAre(Pair(0, 1000ns)));
}

TEST(ThreadTimes, of_a_process_that_is_gone) {
    const RecordedRoot recorded;
    ThreadTimes times(recorded.root(), 50, "soak");
    EXPECT_EQ(times.count(), 0u);
    EXPECT_THAT(times.read(), IsEmpty());
}

} // namespace
} // namespace probes
