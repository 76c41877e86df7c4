#include "loads/control.h"

#include "base/cpu_list.h"
#include "base/error.h"
#include "loads/socket.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <stdexcept>

namespace loads {
namespace {

using nlohmann::json;

/// Grows whenever ends of different versions would not understand each other.
constexpr int protocol_version = 1;
constexpr auto version_key = "cyclesoak_load";
constexpr size_t longest_line = 65536;

} // namespace

Control::Control(base::Descriptor socket)
    : socket_(std::move(socket)), peer_(Address::of_peer(socket_.get()).text()) {
    set_receive_timeout(socket_.get(), answer_patience);
}

void Control::fail(const std::string& why) const {
    throw std::runtime_error(fmt::format("{}: {}", peer_, why));
}

void Control::send(const json& message) { send_all(socket_.get(), message.dump() + "\n"); }

json Control::receive() {
    size_t end = 0;
    while ((end = buffer_.find('\n')) == std::string::npos) {
        char piece[4096];
        const auto got = recv(socket_.get(), piece, sizeof piece, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) fail("the other end closed the connection");
        if (got < 0 && errno == EAGAIN) fail("no answer; it may be busy with another load");
        if (got < 0) fail(std::strerror(errno));
        buffer_.append(piece, static_cast<size_t>(got));
        if (buffer_.size() > longest_line) fail("not a cyclesoak load");
    }
    const auto message = json::parse(buffer_.substr(0, end), nullptr, false);
    buffer_.erase(0, end + 1);
    if (!message.is_object()) fail("not a cyclesoak load");
    if (const auto error = message.find("error"); error != message.end())
        fail(error->is_string() ? error->get<std::string>() : error->dump());
    return message;
}

json make_request(const Options& options) {
    json request = {{version_key, protocol_version},
                    {"kind", name_of(options.kind)},
                    {"over_udp", options.over_udp},
                    {"buffer_bytes", options.buffer_bytes},
                    {"streams", options.streams},
                    {"request_bytes", options.request_bytes},
                    {"response_bytes", options.response_bytes},
                    {"busy_poll", options.busy_poll},
                    {"datagram_bytes", options.datagram_bytes},
                    {"batch", options.batch}};
    if (options.server_cpu) request["server_cpu"] = *options.server_cpu;
    return request;
}

Options parse_request(const json& request) {
    if (request.value(version_key, json()) != protocol_version)
        throw base::UsageError(
            fmt::format("this end speaks version {} of the load protocol", protocol_version));
    Options options;
    options.kind = parse_kind(request.at("kind").get<std::string>());
    request.at("over_udp").get_to(options.over_udp);
    request.at("buffer_bytes").get_to(options.buffer_bytes);
    request.at("streams").get_to(options.streams);
    request.at("request_bytes").get_to(options.request_bytes);
    request.at("response_bytes").get_to(options.response_bytes);
    request.at("busy_poll").get_to(options.busy_poll);
    request.at("datagram_bytes").get_to(options.datagram_bytes);
    request.at("batch").get_to(options.batch);
    if (request.contains("server_cpu")) options.server_cpu = request["server_cpu"].get<int>();
    check(options, base::usable_cpus());
    return options;
}

json make_counts(const Tally& tally) {
    return {{"bytes", tally.bytes},
            {"packets", tally.packets},
            {"transactions", tally.transactions},
            {"cpu_ns", tally.cpu.count()}};
}

Tally parse_counts(const json& counts) {
    Tally tally;
    counts.at("bytes").get_to(tally.bytes);
    counts.at("packets").get_to(tally.packets);
    counts.at("transactions").get_to(tally.transactions);
    tally.cpu = Nanoseconds(counts.at("cpu_ns").get<int64_t>());
    return tally;
}

} // namespace loads
