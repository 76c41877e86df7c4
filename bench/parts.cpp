// What the parts of a measurement cost by themselves.

#include "exporters/totals_json.h"
#include "exporters/totals_metrics.h"
#include "probes/probes.h"
#include "soak/accountant.h"
#include "soak/slot.h"
#include "soak/split.h"
#include "soak/timebase.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <unistd.h>
#include <vector>

namespace {

constexpr int cpu_count = 512;

/// As a window's edge reads them: a tally a CPU, from shared memory.
void read_shared_counters(benchmark::State& state) {
    const auto slots = std::make_unique<soak::Slot[]>(cpu_count);
    std::vector<soak::Tally> tallies(cpu_count);
    for (auto _ : state) {
        for (int cpu = 0; cpu < cpu_count; ++cpu)
            tallies[static_cast<size_t>(cpu)] = slots[static_cast<size_t>(cpu)].read();
        benchmark::DoNotOptimize(tallies.data());
    }
}
BENCHMARK(read_shared_counters)->Unit(benchmark::kMillisecond)->UseRealTime();

/// A /proc of 512 CPUs, of the sizes that real ones have.
class BigMachine {
  public:
    BigMachine()
        : path_(std::filesystem::temp_directory_path() /
                fmt::format("cyclesoak-bench-{}", getpid())) {
        std::string stat = "cpu  1 1 1 1 1 1 1 1 1 1\n", schedstat = "version 15\ntimestamp 1\n";
        std::string interrupts = "     ", rescheduled = "RES: ";
        for (int cpu = 0; cpu < cpu_count; ++cpu) {
            stat +=
                fmt::format("cpu{} 123456 789 234567 {} 345 0 4567 0 0 0\n", cpu, 987654321 + cpu);
            schedstat +=
                fmt::format("cpu{} 0 0 0 0 0 0 {} 987654321 1234567\n", cpu, 123456789012 + cpu);
            interrupts += fmt::format("{:>11}", fmt::format("CPU{}", cpu));
            rescheduled += fmt::format("{:>11}", 1000 + cpu);
        }
        interrupts += "\n";
        for (int line = 0; line < 40; ++line) {
            interrupts += fmt::format("{:>4}: ", line);
            for (int cpu = 0; cpu < cpu_count; ++cpu)
                interrupts += fmt::format("{:>11}", line * cpu);
            interrupts += "  PCI-MSI 524288-edge      eth0-rx-1\n";
        }
        interrupts += rescheduled + "   Rescheduling interrupts\n";
        write("stat", stat);
        write("schedstat", schedstat);
        write("interrupts", interrupts);
    }
    ~BigMachine() { std::filesystem::remove_all(path_); }
    BigMachine(const BigMachine&) = delete;
    BigMachine& operator=(const BigMachine&) = delete;

    base::Root root() const { return base::Root(path_); }

  private:
    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(path_ / "proc");
        std::ofstream(path_ / "proc" / name) << text;
    }

    std::filesystem::path path_;
};

/// As a phase's edge reads them: text files of /proc.
void read_kernel_counters(benchmark::State& state) {
    const BigMachine machine;
    base::CpuList cpus;
    for (int cpu = 0; cpu < cpu_count; ++cpu)
        cpus.push_back(cpu);
    probes::Probes probes(machine.root(), cpus,
                          [] { return std::vector<probes::DeviceCounters>(); });
    for (auto _ : state)
        benchmark::DoNotOptimize(probes.read());
    const auto last = probes.read().cpus.back();
    if (!last.idle || !last.task_time || !last.reschedule)
        state.SkipWithError("a counter could not be read");
}
BENCHMARK(read_kernel_counters)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Of an agent on that machine.
demand::PublishedTotals big_totals() {
    auto totals = std::make_shared<demand::Totals>();
    for (int cpu = 0; cpu < cpu_count; ++cpu)
        totals->cpus.push_back({.cpu = cpu,
                                .accounted = std::chrono::hours(1000),
                                .busy = std::chrono::hours(300) + std::chrono::nanoseconds(cpu),
                                .windows = {.cpu = cpu,
                                            .elapsed = std::chrono::hours(10),
                                            .soaked = std::chrono::hours(7),
                                            .stolen = std::chrono::hours(3)}});
    for (int device = 0; device < 16; ++device)
        totals->devices.push_back({.index = device,
                                   .name = fmt::format("eth{}", device),
                                   .rx_packets = 123456789,
                                   .rx_bytes = 123456789012});
    return totals;
}

/// A scrape's text, made once a second at most, with a series for each CPU.
void make_metrics(benchmark::State& state) {
    const auto totals = big_totals();
    for (auto _ : state)
        benchmark::DoNotOptimize(exporters::make_metrics(totals, true));
}
BENCHMARK(make_metrics)->Unit(benchmark::kMillisecond)->UseRealTime();

void make_totals(benchmark::State& state) {
    const auto totals = big_totals();
    for (auto _ : state)
        benchmark::DoNotOptimize(exporters::make_totals(*totals, totals->time));
}
BENCHMARK(make_totals)->Unit(benchmark::kMillisecond)->UseRealTime();

/// What sorting one chunk costs the soaker.
void account_for_a_chunk(benchmark::State& state) {
    soak::Limits limits{
        .nominal = {400, 250, 250}, .threshold = {12'000, 1000, 1000}, .reading = 5000};
    soak::Accountant accountant;
    const auto no_reading = [] { return soak::Reading{}; };
    accountant.begin(0, limits, no_reading);
    soak::Ticks now = 0;
    for (auto _ : state)
        accountant.chunk_done(soak::ChunkKind::walk, now += 400, false, no_reading);
    benchmark::DoNotOptimize(accountant.tally());
}
BENCHMARK(account_for_a_chunk);

void publish_a_tally(benchmark::State& state) {
    const auto slot = std::make_unique<soak::Slot>();
    soak::Tally tally;
    for (auto _ : state) {
        ++tally.until;
        slot->publish(tally);
    }
}
BENCHMARK(publish_a_tally);

void read_both_clocks(benchmark::State& state) {
    const auto timebase = soak::Timebase::measure();
    for (auto _ : state)
        benchmark::DoNotOptimize(timebase.read_pair());
}
BENCHMARK(read_both_clocks);

} // namespace

BENCHMARK_MAIN();
