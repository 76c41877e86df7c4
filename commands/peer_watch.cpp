#include "commands/peer_watch.h"

#include "base/error.h"
#include "exporters/totals_json.h"

#include <fmt/format.h>

namespace commands {
namespace {

/// However long the baseline is: then the last stretch of it grows.
constexpr size_t most_readings = 100;
constexpr auto between_questions = std::chrono::milliseconds(200);
/// The agent reads once a second.
constexpr auto patience = std::chrono::milliseconds(3500);

void keep(std::vector<demand::PeerReading>& readings, demand::PeerReading reading) {
    if (!readings.empty() && readings.back().totals.time == reading.totals.time) return;
    if (readings.size() == most_readings) readings.pop_back();
    readings.push_back(std::move(reading));
}

} // namespace

PeerWatch::PeerWatch(const agent::PeerAccess& access, base::Loop& loop, Progress& progress)
    : peer_(access), loop_(loop), progress_(progress) {
    heard_.address = access.address;
}

std::optional<demand::PeerReading> PeerWatch::read(const char* path, Parse parse,
                                                   std::string& failure) {
    try {
        const auto text = peer_.fetch(path, loop_);
        if (text) return parse(*text, path);
    } catch (const agent::PeerError& error) {
        failure = error.what();
    } catch (const base::ParseError& error) {
        failure = error.what();
    }
    return {};
}

void PeerWatch::ask() {
    if (!heard_.failure.empty()) return;
    const auto asked = base::monotonic_now();
    auto reading = read("/api/v1/totals", exporters::parse_totals, heard_.failure);
    if (!heard_.failure.empty())
        progress_.print(fmt::format("cyclesoak: --peer {}: {}", heard_.address, heard_.failure));
    if (!reading) return;
    if (!load_ended_)
        keep(heard_.before, std::move(*reading));
    else if (demand::read_since(*reading, asked, *load_ended_))
        keep(heard_.after, std::move(*reading));
}

void PeerWatch::load_ended() { load_ended_ = base::monotonic_now(); }

demand::PeerMeasurement PeerWatch::finish(size_t readings) {
    progress_.show("listening to the other end");
    const auto deadline = *load_ended_ + patience;
    while (heard_.failure.empty() && !loop_.stopped() && heard_.after.size() < readings &&
           base::monotonic_now() < deadline) {
        ask();
        if (heard_.after.size() < readings)
            loop_.run_until(base::monotonic_now() + between_questions);
    }
    if (!heard_.after.empty() && heard_.failure.empty())
        heard_.windows = read("/api/v1/windows", exporters::parse_windows, heard_.windows_failure);
    progress_.clear();
    return std::move(heard_);
}

} // namespace commands
