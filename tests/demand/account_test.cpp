#include "demand/account.h"

#include <gmock/gmock.h>

namespace demand {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

/// A machine of one CPU whose counters a test moves.
struct Machine {
    Machine() {
        auto& cpu = reading.counters.cpus.emplace_back();
        cpu.cpu = 3;
        cpu.idle = 100s;
        cpu.steal = 0ns;
        cpu.task_time = 50s;
        reading.soakers[3] = 7s;
        reading.counters.time = 1000s;
        reading.counters.devices.push_back({.index = 2, .name = "eth0", .rx_packets = 5000});
        reading.counters.protocols.tcp_segments_in = 100;
    }
    probes::CpuCounters& cpu() { return reading.counters.cpus.front(); }
    probes::DeviceCounters& device() { return reading.counters.devices.front(); }

    void pass(Nanoseconds time, Nanoseconds idle, Nanoseconds tasks, Nanoseconds soaker = 0ns) {
        reading.counters.time += time;
        *cpu().idle += idle;
        *cpu().task_time += tasks + soaker;
        reading.soakers[3] += soaker;
    }

    Account::Reading reading;
};

const CpuTotals& only_cpu(const Account& account) { return account.totals().cpus.at(0); }

/// An account of that machine, from its start on.
class AccountTest : public testing::Test {
  protected:
    AccountTest() { account.resume(machine.reading); }
    /// That much time passes, and is counted.
    void pass(Nanoseconds time, Nanoseconds idle, Nanoseconds tasks, Nanoseconds soaker = 0ns) {
        machine.pass(time, idle, tasks, soaker);
        account.add(machine.reading);
    }

    Machine machine;
    Account account;
};

TEST(Account, begins_with_nothing) {
    Account account;
    account.resume(Machine().reading);
    EXPECT_EQ(only_cpu(account).cpu, 3);
    EXPECT_EQ(only_cpu(account).accounted, 0ns);
    EXPECT_EQ(account.totals().devices.at(0).rx_packets, 0u);
    EXPECT_EQ(account.totals().protocols.tcp_segments_in, std::nullopt);
}

TEST_F(AccountTest, busy_is_neither_idle_nor_the_soakers_own_time) {
    pass(1s, 700ms, 250ms, 10ms);
    EXPECT_EQ(only_cpu(account).accounted, 1s);
    EXPECT_EQ(only_cpu(account).busy, 290ms);
    EXPECT_EQ(account.totals().soakers_cpu, 10ms);
    EXPECT_NEAR(*account.busy_ratio(3), 0.29, 1e-12);
}

TEST_F(AccountTest, pauses_count_nowhere) {
    machine.pass(1s, 900ms, 100ms);
    machine.device().rx_packets += 10;
    account.add(machine.reading);
    account.pause();
    machine.pass(10s, 0s, 10s);
    machine.device().rx_packets += 1000;
    account.resume(machine.reading);
    machine.pass(1s, 900ms, 100ms);
    machine.device().rx_packets += 10;
    account.add(machine.reading);
    EXPECT_EQ(only_cpu(account).accounted, 2s);
    EXPECT_EQ(only_cpu(account).busy, 200ms);
    EXPECT_EQ(account.totals().devices.at(0).rx_packets, 20u);
}

TEST_F(AccountTest, new_soakers_begin_at_zero) {
    machine.reading.soakers[3] = 0s;
    account.resume(machine.reading);
    pass(1s, 990ms, 0s, 10ms);
    EXPECT_EQ(only_cpu(account).busy, 0ns);
}

TEST_F(AccountTest, idle_time_that_goes_a_little_backwards_is_not_counted_twice) {
    pass(1s, 1s, 0s);
    pass(1s, -10ms, 0s);
    pass(1s, 1010ms, 0s);
    EXPECT_EQ(only_cpu(account).accounted, 3s);
    EXPECT_EQ(only_cpu(account).busy, 1s);
}

TEST_F(AccountTest, idle_time_that_begins_anew_leaves_out_that_time) {
    pass(1s, -90s, 0s);
    EXPECT_EQ(account.totals().cpus.at(0).accounted, 0ns);
    pass(1s, 600ms, 400ms);
    EXPECT_EQ(only_cpu(account).accounted, 1s);
    EXPECT_EQ(only_cpu(account).busy, 400ms);
}

TEST_F(AccountTest, a_cpu_that_goes_is_left_out_and_begins_anew_when_it_is_back) {
    pass(1s, 600ms, 400ms);
    const auto idle = machine.cpu().idle;
    machine.cpu().idle.reset();
    machine.reading.counters.time += 1s;
    account.add(machine.reading);
    EXPECT_THAT(account.totals().cpus, IsEmpty());
    EXPECT_EQ(account.totals().departed.accounted, 1s);
    EXPECT_EQ(account.totals().departed.busy, 400ms);
    EXPECT_EQ(account.busy_ratio(3), std::nullopt);
    machine.cpu().idle = idle;
    machine.reading.counters.time += 1s;
    account.add(machine.reading);
    EXPECT_EQ(only_cpu(account).accounted, 0s);
    pass(1s, 700ms, 300ms);
    EXPECT_EQ(only_cpu(account).cpu, 3);
    EXPECT_EQ(only_cpu(account).accounted, 1s);
    EXPECT_EQ(only_cpu(account).busy, 300ms);
    EXPECT_EQ(sum_of_cpus(account.totals()).busy, 700ms);
}

TEST_F(AccountTest, what_ticks_see_is_without_the_soakers) {
    machine.cpu().tick_busy = 0s;
    account.resume(machine.reading);
    machine.cpu().tick_busy = 250ms;
    pass(1s, 600ms, 200ms, 100ms);
    EXPECT_EQ(only_cpu(account).tick_busy, 150ms);
}

TEST_F(AccountTest, idle_time_that_the_scheduler_contradicts_is_no_longer_told) {
    for (int i = 0; i < 60; ++i) {
        EXPECT_TRUE(only_cpu(account).busy || i == 0);
        pass(1s, 900ms, 130ms);
    }
    EXPECT_EQ(only_cpu(account).busy, std::nullopt);
    EXPECT_THAT(account.totals().warnings,
                ElementsAre(Field(&base::Warning::id, "idle-time-inexact")));
}

TEST_F(AccountTest, interrupts_make_a_cpu_busier_than_its_threads_and_that_is_no_contradiction) {
    for (int i = 0; i < 60; ++i) {
        pass(1s, 500ms, 130ms);
    }
    EXPECT_EQ(only_cpu(account).busy, 30s);
    EXPECT_THAT(account.totals().warnings, IsEmpty());
}

TEST_F(AccountTest, a_device_that_goes_and_comes_back_is_another) {
    machine.device().rx_packets += 10;
    account.add(machine.reading);
    const auto device = machine.device();
    machine.reading.counters.devices.clear();
    account.add(machine.reading);
    EXPECT_THAT(account.totals().devices, IsEmpty());
    machine.reading.counters.devices.push_back(device);
    machine.device().index = 9;
    account.add(machine.reading);
    machine.device().rx_packets += 7;
    account.add(machine.reading);
    EXPECT_EQ(account.totals().devices.at(0).rx_packets, 7u);
}

TEST_F(AccountTest, protocols_are_counted_from_the_start) {
    *machine.reading.counters.protocols.tcp_segments_in += 50;
    account.add(machine.reading);
    EXPECT_EQ(account.totals().protocols.tcp_segments_in, 50u);
    EXPECT_EQ(account.totals().protocols.udp_datagrams_in, std::nullopt);
}

soak::CpuWindow window(Nanoseconds cache) {
    return {.cpu = 3,
            .elapsed = 20ms,
            .soaked = 15ms,
            .own = 0ns,
            .stolen = 5ms,
            .causes = {.tasks = 5ms - cache, .cache = cache}};
}

/// So many windows, each a second of the machine's time apart.
void add_windows(Account& account, Machine& machine, int count, Nanoseconds cache = 1ms) {
    for (int i = 0; i < count; ++i) {
        machine.pass(1s, 900ms, 100ms);
        account.add(machine.reading);
        account.add_window(machine.reading.counters.time, window(cache), {});
    }
}

void agree(Account& account, bool inside_as_outside) {
    for (int i = 0; i < 20; ++i)
        account.compare({.time = 20ms, .packets = inside_as_outside ? 200u : 100u},
                        {.time = 2s, .packets = 20000});
}

TEST_F(AccountTest, windows_add_up) {
    soak::StallCounts stalls;
    stalls.count[2] = 4;
    stalls.sum = 30us;
    account.add_window(1000s, window(1ms), stalls);
    account.add_window(1002s, window(2ms), stalls);
    account.discard_window("clock");
    account.add(machine.reading);
    const auto& totals = account.totals();
    EXPECT_EQ(only_cpu(account).windows.elapsed, 40ms);
    EXPECT_EQ(only_cpu(account).windows.causes.cache, 3ms);
    EXPECT_EQ(totals.windows, 2u);
    EXPECT_EQ(totals.stalls.count[2], 8u);
    EXPECT_EQ(totals.stalls.sum, 60us);
    EXPECT_EQ(totals.discarded.at("clock"), 1u);
    ASSERT_EQ(totals.recent.size(), 2u);
    EXPECT_EQ(totals.recent[1].start, 1002s);
}

TEST_F(AccountTest, only_so_many_windows_are_remembered) {
    for (int i = 0; i < 1000; ++i)
        account.add_window(std::chrono::seconds(i), window(1ms), {});
    EXPECT_EQ(account.totals().recent.size(), 256u);
    EXPECT_EQ(account.totals().recent.back().start, 999s);
    EXPECT_EQ(account.totals().windows, 1000u);
}

TEST_F(AccountTest, cache_is_carried_over_where_windows_disturb_nothing) {
    agree(account, true);
    add_windows(account, machine, 25);
    account.add(machine.reading);
    EXPECT_NEAR(only_cpu(account).cache.seconds, 20 * 0.05, 1e-9);
    EXPECT_EQ(only_cpu(account).carried_over, 20s);
}

TEST_F(AccountTest, nothing_is_carried_over_before_that_is_known_or_where_it_is_not_so) {
    add_windows(account, machine, 20);
    EXPECT_EQ(only_cpu(account).carried_over, 0s);
    agree(account, false);
    add_windows(account, machine, 20);
    account.add(machine.reading);
    EXPECT_EQ(only_cpu(account).carried_over, 0s);
    EXPECT_EQ(only_cpu(account).cache.seconds, 0);
    EXPECT_EQ(account.totals().undisturbed, false);
}

TEST_F(AccountTest, a_block_stands_for_no_time_of_a_pause) {
    agree(account, true);
    add_windows(account, machine, 10);
    account.pause();
    machine.pass(1h, 0s, 1h);
    account.resume(machine.reading);
    add_windows(account, machine, 10);
    account.add(machine.reading);
    EXPECT_EQ(only_cpu(account).carried_over, 20s);
}

TEST_F(AccountTest, a_block_that_contradicts_the_calibration_carries_nothing_over) {
    agree(account, true);
    add_windows(account, machine, 10, -1ms); // of 15 ms soaked
    add_windows(account, machine, 10, 1ms);
    add_windows(account, machine, 10, -400us); // within what a calibration may be off
    account.add(machine.reading);
    EXPECT_EQ(only_cpu(account).carried_over, 20s);
    EXPECT_NEAR(only_cpu(account).cache.seconds, 10 * 0.05 - 10 * 0.02, 1e-9);
}

/// Another window, in which so many of a thousand throughput blocks were slow.
void add_window(Account& account, Machine& machine, Nanoseconds cache, uint64_t slow) {
    machine.pass(1s, 900ms, 100ms);
    account.add(machine.reading);
    auto one = window(cache);
    one.throughput_blocks = 1000;
    one.contended_blocks = slow;
    account.add_window(machine.reading.counters.time, one, {});
}

/// Every fourth window beside a stranger, who makes it wait for memory.
void add_strange_windows(Account& account, Machine& machine, int count) {
    for (int i = 0; i < count; ++i)
        i % 4 == 3 ? add_window(account, machine, 5ms, 20)
                   : add_window(account, machine, 1ms, i % 4);
}

TEST_F(AccountTest, what_waits_for_memory_beside_a_stranger_is_not_the_hosts) {
    account.expect_strangers({2, 3});
    EXPECT_EQ(account.totals().windows_beside_strangers, 0u);
    agree(account, true);
    add_strange_windows(account, machine, 40);
    account.add(machine.reading);
    EXPECT_EQ(account.totals().windows_beside_strangers, 10u);
    EXPECT_EQ(account.totals().windows, 40u);
    EXPECT_NEAR(only_cpu(account).cache.seconds, 39 * 0.05, 1e-9);
    EXPECT_EQ(only_cpu(account).carried_over, 39s);
    EXPECT_EQ(only_cpu(account).windows.causes.cache, 80ms);
}

TEST_F(AccountTest, where_most_are_beside_strangers_none_is_carried_over) {
    account.expect_strangers({3});
    agree(account, true);
    for (int i = 0; i < 20; ++i)
        add_window(account, machine, 1ms, 0);
    // A block is full with ten windows without.
    for (int i = 0; i < 50; ++i)
        add_window(account, machine, 2ms, i % 5 == 4 ? 0 : 500);
    EXPECT_EQ(account.totals().windows_beside_strangers, 40u);
    EXPECT_EQ(only_cpu(account).carried_over, 20s);
    for (int i = 0; i < 20; ++i)
        add_window(account, machine, 1ms, 0);
    account.add(machine.reading);
    EXPECT_EQ(only_cpu(account).carried_over, 40s);
    EXPECT_NEAR(only_cpu(account).cache.seconds, 40 * 0.05, 1e-9);
}

TEST_F(AccountTest, where_siblings_are_known_they_are_no_strangers) {
    account.expect_strangers({2});
    agree(account, true);
    add_strange_windows(account, machine, 40);
    account.add(machine.reading);
    EXPECT_EQ(account.totals().windows_beside_strangers, 0u);
    EXPECT_NEAR(only_cpu(account).cache.seconds, 40 * 0.1, 1e-9);
}

TEST_F(AccountTest, a_slower_core_alone_is_no_stranger) {
    account.expect_strangers({3});
    for (int i = 0; i < 20; ++i) {
        machine.pass(1s, 900ms, 100ms);
        account.add(machine.reading);
        auto one = window(1ms);
        one.core_share_ratio = i % 2 ? 1.0 : 0.8;
        account.add_window(machine.reading.counters.time, one, {});
    }
    EXPECT_EQ(account.totals().windows_beside_strangers, 0u);
}

TEST(Account, activity_is_that_of_all_devices_and_cpus) {
    probes::Counters change{.time = 2s};
    change.devices.push_back({.name = "lo", .loopback = true, .rx_packets = 5, .tx_packets = 5});
    change.devices.push_back({.name = "eth0", .rx_packets = 3, .tx_packets = 4});
    change.cpus.push_back({.cpu = 0, .reschedule = 7, .function_call = 1});
    change.cpus.push_back({.cpu = 1, .reschedule = 2});
    const auto activity = make_activity(change);
    EXPECT_EQ(activity.time, 2s);
    EXPECT_EQ(activity.packets, 12u);
    EXPECT_EQ(activity.reschedule, 9u);
    EXPECT_EQ(activity.function_call, 1u);
}

} // namespace
} // namespace demand
