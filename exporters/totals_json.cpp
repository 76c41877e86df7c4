#include "exporters/totals_json.h"

#include "base/error.h"
#include "exporters/json.h"
#include "exporters/json_archive.h"

namespace exporters {
void describe(auto& archive, Is<demand::CpuTotals> auto& cpu) {
    archive("cpu", cpu.cpu);
    archive("accounted_seconds", cpu.accounted);
    archive("busy_seconds", cpu.busy);
    archive("steal_seconds", cpu.steal);
    archive("tick_busy_seconds", cpu.tick_busy);
    describe_window(archive, cpu.windows);
    archive("carried_over_seconds", cpu.carried_over);
    archive("carried_over_cache_seconds", cpu.cache.seconds);
    archive("carried_over_cache_variance", cpu.cache.variance);
}

void describe(auto& archive, Is<probes::DeviceCounters> auto& device) {
    archive("index", device.index);
    archive("name", device.name);
    archive("loopback", device.loopback);
    archive("rx_packets", device.rx_packets);
    archive("tx_packets", device.tx_packets);
    archive("rx_bytes", device.rx_bytes);
    archive("tx_bytes", device.tx_bytes);
}

void describe(auto& archive, Is<probes::ProtocolCounters> auto& protocols) {
    archive("tcp_segments_in", protocols.tcp_segments_in);
    archive("tcp_segments_out", protocols.tcp_segments_out);
    archive("udp_datagrams_in", protocols.udp_datagrams_in);
    archive("udp_datagrams_out", protocols.udp_datagrams_out);
    archive("udp_receive_errors", protocols.udp_receive_errors);
}

void describe(auto& archive, Is<demand::Activity> auto& activity) {
    archive("seconds", activity.time);
    archive("packets", activity.packets);
    archive("reschedule", activity.reschedule);
    archive("function_call", activity.function_call);
}

void describe(auto& archive, Is<demand::StallHistogram> auto& stalls) {
    auto bounds = demand::stall_bounds;
    archive("bounds_seconds", bounds);
    archive("counts", stalls.count);
    archive("sum_seconds", stalls.sum);
}

void describe(auto& archive, Is<probes::OwnUsage> auto& own) {
    archive("cpu_seconds", own.cpu);
    archive("resident_bytes", own.resident_bytes);
    archive("virtual_bytes", own.virtual_bytes);
    archive("threads", own.threads);
    archive("open_descriptors", own.open_descriptors);
    archive("most_descriptors", own.most_descriptors);
    archive("started_seconds", own.started);
    archive("started_unix_seconds", own.started_unix_seconds);
}

void describe(auto& archive, Is<demand::RecentWindow> auto& window) {
    archive("start_seconds", window.start);
    archive("cpu", window.window.cpu);
    describe_window(archive, window.window);
}

namespace {

void describe_calibration(auto& archive, auto& totals) {
    archive("state", totals.calibration);
    archive("unix_seconds", totals.calibration_unix_seconds);
}

void describe_host(auto& archive, auto& totals) {
    archive("unix_seconds", totals.unix_seconds);
    archive("yielding", totals.yielding);
    archive("duty_ratio", totals.duty_ratio);
    archive("undisturbed", totals.undisturbed);
    archive("windows_kept", totals.windows);
    archive("windows_beside_strangers", totals.windows_beside_strangers);
    archive("windows_discarded", totals.discarded);
    archive("soakers_cpu_seconds", totals.soakers_cpu);
    archive("soaker_restarts", totals.soaker_restarts);
    archive("paused_seconds", totals.paused);
    archive("obstacle", totals.obstacle);
    archive.object("calibration", [&](auto& inner) { describe_calibration(inner, totals); });
    archive("own", totals.own);
    archive("host", totals.host);
    archive("warnings", totals.warnings);
}

void describe_totals(auto& archive, auto& totals) {
    describe_host(archive, totals);
    archive("cpus", totals.cpus);
    archive("departed", totals.departed);
    archive("devices", totals.devices);
    archive("protocols", totals.protocols);
    archive("inside", totals.inside);
    archive("outside", totals.outside);
    archive("stall_lengths", totals.stalls);
}

void describe_windows(auto& archive, auto& totals) {
    archive("windows_kept", totals.windows);
    archive("windows", totals.recent);
}

template <typename Fields>
Json make_answer(const demand::Totals& totals, base::Nanoseconds now, Fields fields) {
    Json json = make_json_head();
    JsonWriter writer;
    writer("age_seconds", now - totals.time);
    writer("time_seconds", totals.time);
    fields(writer);
    json.update(writer.take());
    return json;
}

template <typename Fields>
demand::PeerReading read(std::string_view text, const std::string& source, Fields fields) {
    const Json json = parse_document(text, source, "an answer of an agent");
    demand::PeerReading reading;
    try {
        JsonReader reader(json);
        reader("cyclesoak", reading.cyclesoak);
        reader("age_seconds", reading.age);
        reader("time_seconds", reading.totals.time);
        fields(reader, reading.totals);
    } catch (const std::runtime_error& error) {
        throw base::ParseError(source, 0, error.what());
    }
    return reading;
}

} // namespace

std::string write_answer(const Json& answer) {
    // A device's name need not be UTF-8.
    return answer.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string make_totals(const demand::Totals& totals, base::Nanoseconds now) {
    return write_answer(
        make_answer(totals, now, [&](auto& writer) { describe_totals(writer, totals); }));
}

std::string make_windows(const demand::Totals& totals, base::Nanoseconds now) {
    return write_answer(
        make_answer(totals, now, [&](auto& writer) { describe_windows(writer, totals); }));
}

Json make_summary(const demand::Totals& totals, base::Nanoseconds now) {
    return make_answer(totals, now, [&](auto& writer) {
        describe_host(writer, totals);
        writer("since_start", demand::sum_of_cpus(totals));
    });
}

demand::PeerReading parse_totals(std::string_view text, const std::string& source) {
    auto reading =
        read(text, source, [](auto& reader, auto& totals) { describe_totals(reader, totals); });
    for (demand::CpuTotals& cpu : reading.totals.cpus)
        cpu.windows.cpu = cpu.cpu;
    return reading;
}

demand::PeerReading parse_windows(std::string_view text, const std::string& source) {
    return read(text, source, [](auto& reader, auto& totals) { describe_windows(reader, totals); });
}

} // namespace exporters
