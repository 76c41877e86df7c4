#include "soak/replay.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace soak {

bool CpuReplay::play_to(Ticks begin, int64_t chunks) {
    const std::pair wanted{begin, chunks};
    const auto at = [&] { return std::pair{tally().begin, tally().chunks_done()}; };
    while (at() < wanted && play_next()) {
    }
    return at() == wanted;
}

std::optional<Call> CpuReplay::play_next() {
    if (pending_.empty()) return std::nullopt;
    const auto& block = pending_.front();
    VarintReader from(std::string_view(block.payload).substr(played_), file_,
                      block.place + played_);
    auto call = decoder_.next(from);
    play(call, from);
    played_ = from.place() - block.place;
    if (from.at_end()) {
        pending_.pop_front();
        played_ = 0;
    }
    return call;
}

void CpuReplay::play(const Call& call, const VarintReader& from) {
    const Ticks now = call.type == Call::Type::begin ? call.time : tally().until + call.time;
    auto reading = call.readings.begin();
    const auto read_clocks = [&] {
        if (reading == call.readings.end()) from.fail("a clock reading is missing before it");
        Reading next = *reading++;
        next.before += now, next.after += now;
        return next;
    };
    switch (call.type) {
    case Call::Type::begin:
        accountant_.begin(now, limits_, read_clocks);
        break;
    case Call::Type::chunk:
        accountant_.chunk_done(call.kind, now, call.switched, read_clocks);
        break;
    case Call::Type::end:
        accountant_.end(call.kind, now, call.switched, read_clocks);
        break;
    case Call::Type::resume:
        accountant_.resume(call.state, limits_);
        lost_bytes_ += call.lost_bytes;
        break;
    }
    if (reading != call.readings.end()) from.fail("there is a clock reading too many before it");
}

Replay::Replay(RecordingReader& reader) : reader_(reader) {
    const auto& header = reader.header();
    for (const int cpu : header.cpus) {
        const auto* calibration = header.calibration.find(cpu);
        cpus_.emplace_back(calibration ? calibration->limits : Limits{}, reader.name());
    }
}

std::optional<Windows> Replay::next() {
    while (auto block = reader_.next()) {
        if (block->type == BlockType::records) {
            auto& cpu = cpus_[block->cpu];
            cpu.add(std::move(*block));
            continue;
        }
        auto edge = play_to(*block);
        const auto earlier = std::exchange(last_, std::move(edge));
        if (earlier) return window(*earlier, *last_);
    }
    return std::nullopt;
}

Replay::Edge Replay::play_to(const Block& block) {
    const auto recorded = reader_.parse_snapshot(block);
    Edge edge{.snapshot = {.time = recorded.time,
                           .own_cpu = recorded.own_cpu,
                           .own_place = recorded.own_place},
              .overrun = recorded.overrun};
    for (size_t i = 0; i < cpus_.size(); ++i) {
        const auto& cpu = recorded.cpus[i];
        edge.found &= !cpu.begun || cpus_[i].play_to(cpu.begin, cpu.chunks);
        edge.skipped_bytes += cpus_[i].take_lost_bytes();
        edge.lost_bytes += cpu.lost_bytes;
        auto& snapshot = edge.snapshot.cpus.emplace_back(
            make_cpu_snapshot(cpus_[i].tally(), cpu.begin, cpu.read_at, cpus_[i].limits()));
        snapshot.displaced = cpu.displaced;
    }
    if (!edge.found && edge.lost_bytes == 0)
        throw base::ParseError(
            reader_.name(), 0,
            fmt::format("damaged: the records do not reach the snapshot at byte {}", block.place));
    return edge;
}

Windows Replay::window(const Edge& earlier, const Edge& later) {
    const uint64_t missing = std::max(later.lost_bytes - earlier.lost_bytes, later.skipped_bytes);
    if (missing > 0 || !earlier.found || !later.found) {
        ++incomplete_;
        return {.discarded = fmt::format("{} bytes of its recording are missing", missing)};
    }
    const auto& header = reader_.header();
    auto windows = make_windows(earlier.snapshot, later.snapshot, header.cpus, header.calibration,
                                header.timebase);
    if (windows.discarded.empty() && later.overrun) windows.discarded = "overrun";
    return windows;
}

} // namespace soak
