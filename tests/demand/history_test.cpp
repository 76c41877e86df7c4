#include "demand/history.h"

#include <gmock/gmock.h>

namespace demand {
namespace {

using namespace std::chrono_literals;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Optional;
using testing::SizeIs;

/// Two CPUs that are busy for a tenth of the time, and eth0 that carries a thousand packets a second.
Totals totals_at(Nanoseconds time) {
    Totals totals{.time = time, .unix_seconds = 1.7e9 + base::to_seconds(time)};
    for (int cpu = 0; cpu < 2; ++cpu) {
        CpuTotals counted{.cpu = cpu, .accounted = time, .busy = time / 10, .tick_busy = time / 20};
        counted.windows = {.cpu = cpu, .elapsed = time / 100, .stolen = time / 1000};
        counted.windows.causes.tasks = time / 1000;
        totals.cpus.push_back(counted);
    }
    const auto packets = static_cast<uint64_t>(time / 1ms);
    totals.devices = {
        {.index = 2, .name = "eth0", .rx_packets = packets, .rx_bytes = 100 * packets}};
    return totals;
}

class HistoryTest : public testing::Test {
  protected:
    void add(Totals totals) { history_.add(std::make_shared<const Totals>(std::move(totals))); }
    void run_until(Nanoseconds end) {
        for (; now_ <= end; now_ += 1s)
            add(totals_at(now_));
    }
    const HistoryStep& latest() const { return *history_.steps().back(); }

    History history_;
    Nanoseconds now_{};
};

TEST_F(HistoryTest, has_a_step_of_what_happened_every_ten_seconds) {
    run_until(9s);
    EXPECT_THAT(history_.steps(), SizeIs(0));
    run_until(35s);
    ASSERT_THAT(history_.steps(), SizeIs(3));
    const auto& step = latest();
    EXPECT_EQ(step.unix_seconds, 1.7e9 + 30);
    EXPECT_EQ(step.cost.accounted, 20s); // two CPUs
    EXPECT_EQ(step.cost.busy, 2s);
    EXPECT_EQ(step.cost.tick_busy, 1s);
    EXPECT_EQ(step.cost.windows.elapsed, 200ms);
    EXPECT_EQ(step.cost.windows.causes.tasks, 20ms);
    EXPECT_EQ(step.packets, 10'000u);
    EXPECT_EQ(step.bytes, 1'000'000u);
    ASSERT_THAT(step.cpus, SizeIs(2));
    EXPECT_THAT(step.cpus[1].busy_ratio, Optional(DoubleNear(0.1, 1e-12)));
}

TEST_F(HistoryTest, forgets_what_is_older_than_an_hour) {
    run_until(2h);
    EXPECT_THAT(history_.steps(), SizeIs(History::most_steps));
    const auto hour = last(history_.steps(), 1h);
    EXPECT_EQ(hour.cost.accounted, 2h);
    EXPECT_EQ(hour.packets, 3'600'000u);
    EXPECT_EQ(last(history_.steps(), 1min).packets, 60'000u);
}

TEST_F(HistoryTest, a_cpu_that_was_away_has_no_share) {
    add(totals_at(0s));
    auto gone = totals_at(10s);
    gone.departed = gone.cpus.back();
    gone.cpus.pop_back();
    add(gone);
    EXPECT_THAT(latest().cpus, SizeIs(1));
    EXPECT_EQ(latest().cost.busy, 2s); // what it did before it went counts
    auto back = totals_at(20s);
    back.departed = gone.departed;
    back.cpus.back().accounted = 4s;
    back.cpus.back().busy = 1s;
    add(back);
    ASSERT_THAT(latest().cpus, SizeIs(2));
    EXPECT_EQ(latest().cpus.back().busy_ratio, std::nullopt);
    EXPECT_EQ(latest().cost.busy, 2s);
}

TEST_F(HistoryTest, devices_that_come_back_begin_anew) {
    add(totals_at(0s));
    add(totals_at(10s));
    auto fewer = totals_at(20s);
    fewer.devices[0].rx_packets = 5; // the same number and name, another device
    add(fewer);
    EXPECT_EQ(latest().packets, 0u);
    auto other = totals_at(30s);
    other.devices[0] = {.index = 3, .name = "eth0", .tx_packets = 7, .tx_bytes = 700};
    add(other);
    EXPECT_EQ(latest().packets, 7u);
}

TEST_F(HistoryTest, without_exact_idle_time_there_is_no_busy_time) {
    for (const auto time : {0s, 10s}) {
        auto totals = totals_at(time);
        totals.cpus[1].busy.reset();
        add(totals);
    }
    EXPECT_EQ(latest().cost.busy, std::nullopt);
    EXPECT_EQ(latest().cpus[1].busy_ratio, std::nullopt);
    EXPECT_EQ(cost_of(last(history_.steps(), 1min)), std::nullopt);
}

// What work cost

Stretch some_work() {
    return {.cost = {.accounted = 100s,
                     .busy = 10s,
                     .cache = {.seconds = 1, .variance = 0.04},
                     .carried_over = 50s},
            .devices = {{"eth0", 95, 950}, {"lo", 5, 50}},
            .packets = 100,
            .bytes = 1000};
}

TEST(CostOf, takes_the_cache_for_all_the_time) {
    const auto cost = cost_of(some_work());
    ASSERT_TRUE(cost);
    EXPECT_DOUBLE_EQ(cost->cpu_seconds, 12);
    EXPECT_DOUBLE_EQ(cost->standard_error, 0.4);
    EXPECT_EQ(cost->accounted_seconds, 100);
}

TEST(CostOf, is_of_the_device_that_carried_nearly_all) {
    EXPECT_EQ(cost_of(some_work())->device, "eth0");
    EXPECT_EQ(cost_of(some_work())->packets, 95u);
    EXPECT_EQ(cost_of(some_work())->bytes, 950u);
    auto mixed = some_work();
    mixed.devices = {{"eth0", 89, 900}, {"lo", 11, 100}};
    EXPECT_EQ(cost_of(mixed)->device, "");
    EXPECT_EQ(cost_of(mixed)->packets, 100u);
}

TEST(CostOf, is_known_without_a_cache_and_without_packets) {
    const auto cost = cost_of({.cost = {.accounted = 100s, .busy = 10s}});
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->cpu_seconds, 10);
    EXPECT_EQ(cost->standard_error, 0);
    EXPECT_EQ(cost->device, "");
    EXPECT_EQ(cost_of({}), std::nullopt);
}

} // namespace
} // namespace demand
