#include "loads/result.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace loads {
namespace {

std::string three_digits(double value) {
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f}", value, decimals);
}

/// 31234.5 -> "31.2 k": three digits and the prefix of 1000.
std::string scaled(double value) {
    constexpr std::array prefixes = {"", "k", "M", "G", "T", "P"};
    size_t prefix = 0;
    while (value >= 999.5 && prefix + 1 < prefixes.size()) {
        value /= 1000;
        ++prefix;
    }
    return three_digits(value) + " " + prefixes[prefix];
}

std::string grouped(uint64_t number) {
    auto text = std::to_string(number);
    for (auto at = static_cast<int>(text.size()) - 3; at > 0; at -= 3)
        text.insert(static_cast<size_t>(at), ",");
    return text;
}

std::string time_text(double seconds, std::string_view micro) {
    if (seconds < 1e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
    if (seconds < 1e-3) return fmt::format("{:.1f} {}s", seconds * 1e6, micro);
    if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
    return fmt::format("{:.2f} s", seconds);
}

class Table {
  public:
    Table(std::ostream& out, const Result& result, std::string_view micro)
        : out_(out), result_(result), micro_(micro), seconds_(base::to_seconds(result.elapsed)) {}

    void write() const {
        write_head();
        write_work();
        if (result_.latency) write_latency(*result_.latency);
        for (const auto& [end, time] : result_.cpu)
            write_cpu(end, base::to_seconds(time));
        write_notes();
    }

  private:
    void line(std::string_view name, const std::string& text) const {
        out_ << fmt::format("  {:<14}{}\n", name, text);
    }

    void write_head() const {
        out_ << result_.kind;
        if (!result_.how.empty()) out_ << (result_.kind == "rr" ? " over " : " by ") << result_.how;
        out_ << fmt::format(", {:.2f} s\n", seconds_);
    }

    void write_count(std::string_view name, uint64_t count) const {
        line(name, fmt::format("{:<16}{}/s", grouped(count),
                               scaled(static_cast<double>(count) / seconds_)));
    }

    void write_work() const {
        if (result_.transactions) write_count("transactions", *result_.transactions);
        if (result_.packets) write_count("datagrams", *result_.packets);
        if (result_.bytes) {
            const auto bytes = static_cast<double>(*result_.bytes);
            line("payload", fmt::format("{:<16}{}B/s  ({}b/s)", scaled(bytes) + "B",
                                        scaled(bytes / seconds_), scaled(bytes * 8 / seconds_)));
        }
        if (result_.lost && result_.sent && *result_.sent > 0)
            line("lost", fmt::format("{:<16}{:.2f} % of {} sent", grouped(*result_.lost),
                                     100 * static_cast<double>(*result_.lost) /
                                         static_cast<double>(*result_.sent),
                                     grouped(*result_.sent)));
        if (result_.resent && *result_.resent > 0)
            line("resent", grouped(*result_.resent) + " (no response within 200 ms)");
        if (result_.bursts) write_count("bursts", *result_.bursts);
    }

    void write_latency(const Result::Latency& latency) const {
        const auto text = [&](Nanoseconds time) {
            return time_text(base::to_seconds(time), micro_);
        };
        line("latency", fmt::format("mean {}   median {}   99 % below {}", text(latency.mean),
                                    text(latency.p50), text(latency.p99)));
    }

    void write_cpu(const std::string& end, double cpu_seconds) const {
        line("CPU " + end, fmt::format("{:<16}{:.1f} %{}", time_text(cpu_seconds, micro_),
                                       100 * cpu_seconds / seconds_, per_unit(cpu_seconds)));
    }

    std::string per_unit(double cpu_seconds) const {
        const auto micros = [&](double units, const char* unit) {
            return units > 0 ? fmt::format("   {} {}s/{}", three_digits(1e6 * cpu_seconds / units),
                                           micro_, unit)
                             : std::string();
        };
        if (result_.transactions)
            return micros(static_cast<double>(*result_.transactions), "transaction");
        if (result_.packets) return micros(static_cast<double>(*result_.packets), "datagram");
        if (result_.bytes) return micros(static_cast<double>(*result_.bytes) / 1024, "KB");
        return {};
    }

    void write_notes() const {
        if (result_.zerocopy_ratio)
            line("zero-copy", fmt::format("{:.1f} % of the sends; the kernel copied the others",
                                          100 * *result_.zerocopy_ratio));
        if (result_.busy_poll == "user")
            line("busy-poll", "in user space: the kernel cannot poll for this connection");
        if (result_.busy_poll == "kernel") line("busy-poll", "by the kernel");
    }

    std::ostream& out_;
    const Result& result_;
    std::string_view micro_;
    double seconds_;
};

std::optional<Result::Latency> make_latency(const Histogram& times) {
    if (times.count() == 0) return std::nullopt;
    return Result::Latency{*times.mean(), *times.quantile(0.5), *times.quantile(0.99)};
}

std::string how_of(const Options& options) {
    if (options.kind == Kind::stream) return std::string(name_of(options.how));
    if (options.kind == Kind::rr) return options.over_udp ? "udp" : "tcp";
    return "";
}

} // namespace

Result make_server_result(const Options& options, const Tally& server, Nanoseconds elapsed) {
    Result result;
    result.kind = name_of(options.kind);
    result.elapsed = elapsed;
    result.bytes = server.bytes;
    if (options.kind == Kind::udp) result.packets = server.packets;
    if (options.kind == Kind::rr) result.transactions = server.transactions;
    result.cpu["server"] = server.cpu;
    return result;
}

Result make_result(const Options& options, const Tally& client, const Tally& server,
                   Nanoseconds start) {
    auto result = make_server_result(options, server, client.ended - start);
    result.how = how_of(options);
    result.cpu["client"] = client.cpu;
    if (options.kind != Kind::rr) result.sent = client.sent;
    if (options.kind == Kind::udp)
        result.lost = client.sent - std::min(client.sent, server.packets);
    if (options.kind == Kind::rr) {
        result.transactions = client.transactions;
        result.bytes = client.bytes;
        result.latency = make_latency(client.latency);
        if (options.over_udp) result.resent = client.resent;
        if (options.busy_poll) result.busy_poll = client.kernel_polled ? "kernel" : "user";
    }
    if (client.zerocopy_sends > 0)
        result.zerocopy_ratio = 1 - static_cast<double>(client.zerocopy_copied) /
                                        static_cast<double>(client.zerocopy_sends);
    return result;
}

void write_table(std::ostream& out, const Result& result, std::string_view micro) {
    Table(out, result, micro).write();
}

void write_json(std::ostream& out, const Result& result) {
    nlohmann::ordered_json json = {{"schema", 1}, {"kind", result.kind}};
    const auto add = [&](const char* key, const auto& value) {
        if (value) json[key] = *value;
    };
    if (!result.how.empty()) json["how"] = result.how;
    json["seconds"] = base::to_seconds(result.elapsed);
    add("bytes", result.bytes);
    add("packets", result.packets);
    add("transactions", result.transactions);
    add("sent", result.sent);
    add("lost", result.lost);
    add("resent", result.resent);
    for (const auto& [end, time] : result.cpu)
        json["cpu_seconds"][end] = base::to_seconds(time);
    add("busy_ratio", result.busy_ratio);
    add("bursts", result.bursts);
    add("zerocopy_ratio", result.zerocopy_ratio);
    add("busy_poll", result.busy_poll);
    if (result.latency)
        json["latency_seconds"] = {{"mean", base::to_seconds(result.latency->mean)},
                                   {"p50", base::to_seconds(result.latency->p50)},
                                   {"p99", base::to_seconds(result.latency->p99)}};
    out << json.dump() << '\n';
}

} // namespace loads
