#include "probes/protocols.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <map>
#include <string>

namespace probes {
namespace {

/// Counters by "TcpInSegs": protocol and name together, as snmp6 writes them anyway.
using Names = std::map<std::string, std::string_view>;

/// Pairs of lines: "Tcp: InSegs OutSegs" and "Tcp: 546 332".
Names parse_pairs(std::string_view text) {
    Names names;
    const auto lines = base::lines(text);
    for (size_t i = 0; i + 1 < lines.size(); i += 2) {
        const auto header = base::split(lines[i]), values = base::split(lines[i + 1]);
        if (header.empty() || header.size() != values.size() || header[0] != values[0])
            throw base::ParseError("/proc/net/snmp", static_cast<int>(i) + 2,
                                   "does not match the line of names above it");
        const auto protocol = header[0].substr(0, header[0].find(':'));
        for (size_t k = 1; k < header.size(); ++k)
            names[fmt::format("{}{}", protocol, header[k])] = values[k];
    }
    return names;
}

/// Lines of "Udp6InDatagrams    26".
Names parse_lines(std::string_view text) {
    Names names;
    for (const auto line : base::lines(text))
        if (const auto words = base::split(line); words.size() == 2)
            names[std::string(words[0])] = words[1];
    return names;
}

std::optional<uint64_t> find(const Names& names, const std::string& name) {
    const auto found = names.find(name);
    if (found == names.end()) return std::nullopt;
    const auto count = base::parse_integer(found->second);
    if (!count) throw base::ParseError("/proc/net/snmp", 0, name + " is not a number");
    return static_cast<uint64_t>(*count);
}

std::optional<uint64_t> sum(std::optional<uint64_t> a, std::optional<uint64_t> b) {
    if (!a) return b;
    return *a + b.value_or(0);
}

} // namespace

ProtocolCounters parse_protocols(std::string_view snmp, std::string_view snmp6) {
    const auto names = parse_pairs(snmp);
    const auto names6 = parse_lines(snmp6);
    const auto udp = [&](const std::string& name) {
        return sum(find(names, "Udp" + name), find(names6, "Udp6" + name));
    };
    return {.tcp_segments_in = find(names, "TcpInSegs"),
            .tcp_segments_out = find(names, "TcpOutSegs"),
            .udp_datagrams_in = udp("InDatagrams"),
            .udp_datagrams_out = udp("OutDatagrams"),
            .udp_receive_errors = udp("InErrors")};
}

} // namespace probes
