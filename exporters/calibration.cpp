#include "exporters/calibration.h"

#include "exporters/json.h"
#include "soak/chunk.h"

#include <fmt/ostream.h>

namespace exporters {
namespace {

using soak::ChunkKind;
using soak::index;

/// One CPU's times in nanoseconds.
struct Times {
    double walk, spread, cold, line, chain, block;
};

Times times_of(const soak::CpuCalibration& cpu, double ticks_per_ns) {
    const auto ns = [&](double ticks) { return ticks / ticks_per_ns; };
    return {.walk = ns(cpu.mean[index(ChunkKind::walk)]),
            .spread = ns(cpu.spread[index(ChunkKind::walk)]),
            .cold = ns(cpu.cold),
            .line = ns(cpu.line_penalty),
            .chain = ns(cpu.mean[index(ChunkKind::latency)]),
            .block = ns(cpu.mean[index(ChunkKind::throughput)])};
}

} // namespace

void write_calibration(std::ostream& out, const soak::Calibration& calibration) {
    constexpr auto heading = "{:>4} {:>10} {:>9} {:>9} {:>11} {:>10} {:>9} {:>9}\n";
    fmt::print(out, heading, "CPU", "walk", "spread", "cold", "per line", "chain", "block",
               "stolen");
    fmt::print(out, heading, "", "ns", "ns", "ns", "ns", "ns", "ns", "%");
    for (const auto& cpu : calibration.cpus) {
        const auto times = times_of(cpu, calibration.ticks_per_ns);
        fmt::print(out, "{:>4} {:>10.1f} {:>9.1f} {:>9.0f} {:>11.1f} {:>10.1f} {:>9.1f} {:>9.1f}\n",
                   cpu.cpu, times.walk, times.spread, times.cold, times.line, times.chain,
                   times.block, 100 * cpu.stolen_ratio);
    }
    fmt::print(out,
               "\nwalk: a chunk of {} lines, everything cached; cold: all its lines in memory\n"
               "per line: the price of a line that another load evicted\n"
               "chain, block: the yardsticks; stolen: how busy the CPU was meanwhile\n",
               soak::lines_per_chunk);
}

void write_calibration_json(std::ostream& out, const soak::Calibration& calibration,
                            const std::vector<size_t>& working_set_bytes) {
    auto json = make_json_head();
    json["counter"] = calibration.counter;
    json["ticks_per_second"] = calibration.ticks_per_ns * 1e9;
    for (size_t i = 0; i < calibration.cpus.size(); ++i) {
        const auto& cpu = calibration.cpus[i];
        const auto times = times_of(cpu, calibration.ticks_per_ns);
        auto& entry = json["cpus"].emplace_back();
        entry["cpu"] = cpu.cpu;
        entry["working_set_bytes"] = working_set_bytes.at(i);
        entry["walk_seconds"] = times.walk * 1e-9;
        entry["walk_spread_seconds"] = times.spread * 1e-9;
        entry["cold_walk_seconds"] = times.cold * 1e-9;
        entry["line_penalty_seconds"] = times.line * 1e-9;
        entry["chain_seconds"] = times.chain * 1e-9;
        entry["block_seconds"] = times.block * 1e-9;
        entry["stolen_ratio"] = cpu.stolen_ratio;
        entry["undisturbed_windows"] = cpu.windows;
    }
    out << json.dump(2) << '\n';
}

} // namespace exporters
