#include "commands/load.h"

#include "base/address.h"
#include "base/cpu_list.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "commands/terminal.h"
#include "loads/run.h"
#include "loads/server.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <csignal>
#include <iostream>
#include <memory>
#include <sys/eventfd.h>

namespace commands {
namespace {

using base::UsageError;

/// Readable after SIGINT, SIGTERM or SIGHUP. Handlers, not base::Signals: a second signal then does
/// what it always does and ends a load at once that waits in vain for its other end.
class Interruption {
  public:
    Interruption() : fd_(base::make_descriptor(eventfd(0, EFD_CLOEXEC), "eventfd")) {
        signalled_fd = fd_.get();
        struct sigaction action {};
        action.sa_handler = [](int) { eventfd_write(signalled_fd, 1); };
        action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
        for (auto& [signal, before] : before_) {
            sigaction(signal, nullptr, &before);
            // Ignored from the start, as by nohup: stays so.
            if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
        }
    }
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;
    ~Interruption() {
        for (const auto& [signal, before] : before_)
            sigaction(signal, &before, nullptr);
    }

    int fd() const { return fd_.get(); }

  private:
    static inline volatile int signalled_fd = -1;

    base::Descriptor fd_;
    std::array<std::pair<int, struct sigaction>, 3> before_{
        {{SIGINT, {}}, {SIGTERM, {}}, {SIGHUP, {}}}};
};

/// All that the command line says.
struct Arguments {
    loads::Options network;
    loads::BurnOptions burn;
    bool burns = false; ///< kind `burn` was named
    bool named = false; ///< any kind was
    std::optional<base::Nanoseconds> duration;
    std::optional<base::Endpoint> listen, connect;
    std::optional<bool> json; ///< absent: unless stdout is a terminal
};

/// An option whose text `parse` turns into what `value` holds; its errors name the option.
template <typename Value, typename Parse>
void add_parsed(CLI::App& app, const std::string& name, Value& value, Parse parse,
                const std::string& placeholder, const std::string& help) {
    const auto read = [&value, parse, name](const std::string& text) {
        try {
            value = parse(text);
        } catch (const UsageError& error) {
            throw UsageError(fmt::format("{}: {}", name, error.what()));
        }
    };
    app.add_option_function<std::string>(name, read, help)->type_name(placeholder);
}

void add_flag(CLI::App& app, const std::string& name, bool& value, const std::string& help) {
    app.add_flag(name, value, help);
}

int64_t parse_count(const std::string& text) {
    const auto count = base::parse_integer(text);
    if (!count) throw UsageError(fmt::format("'{}' is not a whole number", text));
    return *count;
}

bool parse_format(const std::string& text) {
    if (text != "table" && text != "json")
        throw UsageError(fmt::format("'{}' is neither table nor json", text));
    return text == "json";
}

/// "1": both ends; "0,1": client, server. Over a network a single one is this end's.
void parse_cpus(const std::string& text, Arguments& arguments) {
    const auto numbers = base::split(text, ",");
    std::vector<int> cpus;
    for (const auto number : numbers)
        if (const auto cpu = base::parse_integer(number); cpu && *cpu >= 0 && *cpu < 1 << 16)
            cpus.push_back(static_cast<int>(*cpu));
    if (cpus.empty() || cpus.size() > 2 || cpus.size() != numbers.size())
        throw UsageError(fmt::format("--cpu: '{}' is not one CPU number or two as in 0,1", text));
    arguments.network.client_cpu = cpus.front();
    arguments.network.server_cpu = cpus.back();
    if (cpus.size() == 1 && arguments.connect) arguments.network.server_cpu.reset();
}

void add_common(CLI::App& app, Arguments& arguments, const std::string& default_time = "10s") {
    add_parsed(app, "-t,--time", arguments.duration, base::parse_duration, "DURATION",
               fmt::format("how long: 300ms, 10s, 2m (default: {})", default_time));
    add_parsed(app, "--format", arguments.json, parse_format, "table|json",
               "how to print the result (default: table on a terminal, else json)");
}

void add_network(CLI::App& app, Arguments& arguments, std::string& cpus, const std::string& unit) {
    add_common(app, arguments);
    auto& options = arguments.network;
    add_parsed(
        app, "--rate", options.rate, base::parse_rate, "RATE",
        fmt::format("{} per second: 2000, 400k, 50M, 1G (default: as many as it can)", unit));
    app.add_option("--cpu", cpus,
                   "CPU of the sender or client, and of the receiver or server; "
                   "one number: of both, or with --connect of this end")
        ->type_name("A[,B]");
    add_parsed(
        app, "--extra-ns", options.extra,
        [](const std::string& text) { return base::Nanoseconds(parse_count(text)); }, "N",
        "CPU time that the sender or client spends on top, each time, in ns");
    add_parsed(app, "--connect", arguments.connect, base::parse_endpoint, "HOST:PORT",
               "only this end; the other one runs `load --listen` there");
}

void add_stream(CLI::App& app, Arguments& arguments, std::string& cpus) {
    auto& options = arguments.network;
    add_parsed(app, "--how", options.how, loads::parse_how, "CALL",
               "send, write, sendfile, splice or zerocopy (default: send)");
    add_parsed(
        app, "--file", options.file, [](const std::string& text) { return text; }, "FILE",
        "send this file over and over (default: memory)");
    add_parsed(app, "--buffer", options.buffer_bytes, base::parse_size, "SIZE",
               "bytes a call (default: 64K)");
    add_parsed(app, "--streams", options.streams, parse_count, "N",
               "connections, each with a thread at either end (default: 1)");
    add_flag(app, "--cork", options.cork, "set TCP_CORK: only full segments are sent");
    add_network(app, arguments, cpus, "bytes");
    app.footer("Example: send a file at 100 MB/s without copying it, sender on CPU 0,\n"
               "receiver on CPU 1\n"
               "  cyclesoak load stream --how sendfile --file video.mkv --rate 100M --cpu 0,1");
}

void add_rr(CLI::App& app, Arguments& arguments, std::string& cpus) {
    auto& options = arguments.network;
    add_flag(app, "--udp", options.over_udp, "over UDP (default: TCP)");
    add_parsed(app, "--request", options.request_bytes, base::parse_size, "SIZE",
               "bytes of a request (default: 1)");
    add_parsed(app, "--response", options.response_bytes, base::parse_size, "SIZE",
               "bytes of a response (default: 1)");
    add_flag(app, "--busy-poll", options.busy_poll,
             "poll instead of sleeping: by the kernel where it can, else in user space");
    add_network(app, arguments, cpus, "transactions");
    app.footer("Example: 2000 transactions per second, 100 bytes out and 4 KB back\n"
               "  cyclesoak load rr --rate 2000 --request 100 --response 4K");
}

void add_udp(CLI::App& app, Arguments& arguments, std::string& cpus) {
    auto& options = arguments.network;
    add_parsed(app, "--size", options.datagram_bytes, base::parse_size, "SIZE",
               "bytes of a datagram (default: 1472)");
    add_parsed(app, "--batch", options.batch, parse_count, "N",
               "datagrams a call of sendmmsg and, at most, of recvmmsg (default: 1)");
    add_network(app, arguments, cpus, "datagrams");
    app.footer("Example: 34000 datagrams per second, each with 500 ns of extra work\n"
               "  cyclesoak load udp --rate 34k --extra-ns 500 --cpu 0,1");
}

void add_burn(CLI::App& app, Arguments& arguments) {
    auto& options = arguments.burn;
    add_parsed(
        app, "--cpu", options.cpu,
        [](const std::string& text) {
            return static_cast<int>(std::clamp<int64_t>(parse_count(text), -1, 1 << 16));
        },
        "CPU", "where (default: anywhere)");
    add_parsed(app, "--period", options.period, base::parse_duration, "DURATION",
               "one burst each (default: 10ms)");
    add_parsed(app, "--walk", options.walk_bytes, base::parse_size, "SIZE",
               "memory to walk once a burst, in shuffled order (default: none)");
    add_parsed(app, "--share", options.busy_ratio, loads::parse_share, "SHARE",
               "of the CPU: 25% or 0.25 (default: 25%)");
    add_parsed(app, "--gap", options.gap, base::parse_duration, "DURATION",
               "busy but for one gap so long in every period, instead of a share");
    app.get_option("--gap")->excludes("--share");
    add_common(app, arguments);
    app.footer("Example: a quarter of CPU 1, in bursts of 250 us, each walking 512 KB\n"
               "  cyclesoak load burn --cpu 1 --share 25% --period 1ms --walk 512K");
}

/// False if stdout did not take it.
bool write_result(const Arguments& arguments, const loads::Result& result) {
    if (arguments.json.value_or(!is_terminal()))
        loads::write_json(std::cout, result);
    else
        loads::write_table(std::cout, result, read_screen().unicode ? "µ" : "u");
    return flush_stdout();
}

int listen(const Arguments& arguments) {
    const Interruption interruption;
    auto server = base::with_first(base::read_addresses(*arguments.listen),
                                   [](const auto& address) { return loads::Server(address); });
    std::cerr << "cyclesoak load: listening on " << server.address().text() << std::endl;
    const auto deadline =
        arguments.duration ? base::monotonic_now() + *arguments.duration : base::Nanoseconds::max();
    bool written = true;
    server.serve(
        interruption.fd(), deadline,
        {.served =
             [&](const auto& result) {
                 if (std::cout) written = write_result(arguments, result);
             },
         .failed = [](const auto& why) { std::cerr << "cyclesoak load: " << why << "\n"; }});
    return written ? 0 : 1;
}

loads::Result run_network(const Arguments& arguments, int stop_fd) {
    if (!arguments.connect) return loads::run_loopback(arguments.network, stop_fd);
    return loads::run_client(arguments.network, base::read_addresses(*arguments.connect), stop_fd);
}

/// Everything that can be said about the options without starting anything.
void check(Arguments& arguments, const std::string& cpus) {
    if (!cpus.empty()) parse_cpus(cpus, arguments);
    if (arguments.duration) arguments.network.duration = *arguments.duration;
    if (arguments.duration) arguments.burn.duration = *arguments.duration;
    if (arguments.listen && arguments.connect)
        throw UsageError("--listen and --connect: one program is one end");
    if (arguments.listen && arguments.burns) throw UsageError("--listen: burn has no other end");
    if (!arguments.listen && !arguments.named)
        throw UsageError("load: which one? stream, rr, udp or burn (or --listen)");
    if (arguments.connect && (arguments.connect->host.empty() || arguments.connect->port == 0))
        throw UsageError("--connect: wants HOST:PORT, PORT 1..65535");
    const auto allowed = base::usable_cpus();
    if (arguments.burns)
        loads::check(arguments.burn, allowed);
    else if (arguments.connect && cpus.find(',') != cpus.npos) {
        // The server's CPU is the other host's to judge.
        auto here = arguments.network;
        here.server_cpu.reset();
        loads::check(here, allowed);
    } else
        loads::check(arguments.network, allowed);
}

} // namespace

std::function<int()> add_load(CLI::App& program) {
    struct State {
        Arguments arguments;
        std::string cpus;
    };
    const auto state = std::make_shared<State>();
    auto& arguments = state->arguments;
    auto* load = program.add_subcommand("load", "The built-in loads alone");
    add_common(*load, arguments, "10s, with --listen without end");
    add_parsed(*load, "--listen", arguments.listen, base::parse_endpoint, "[ADDR]:PORT",
               "be the other end of network loads, until ended or for --time");
    load->footer("Examples: both ends here; or one on each of two hosts\n"
                 "  cyclesoak load rr --cpu 0,1\n"
                 "  cyclesoak load --listen :5201\n"
                 "  cyclesoak load rr --connect otherhost:5201");
    load->require_subcommand(0, 1);

    const auto kind = [&](const char* name, const char* help) {
        auto* app = load->add_subcommand(name, help)->fallthrough();
        app->final_callback([state] { state->arguments.named = true; });
        return app;
    };
    auto* stream = kind("stream", "One way over TCP");
    auto* rr = kind("rr", "Requests and responses, one at a time, over TCP or UDP");
    auto* udp = kind("udp", "One way in datagrams");
    auto* burn = kind("burn", "A known CPU load");
    add_stream(*stream, arguments, state->cpus);
    add_rr(*rr, arguments, state->cpus);
    add_udp(*udp, arguments, state->cpus);
    add_burn(*burn, arguments);
    for (const auto& [app, value] :
         {std::pair{stream, loads::Kind::stream}, std::pair{rr, loads::Kind::rr},
          std::pair{udp, loads::Kind::udp}})
        app->parse_complete_callback(
            [state, chosen = value] { state->arguments.network.kind = chosen; });
    burn->parse_complete_callback([state] { state->arguments.burns = true; });

    return [state] {
        check(state->arguments, state->cpus);
        if (state->arguments.listen) return listen(state->arguments);
        const Interruption interruption;
        const auto result = state->arguments.burns
                                ? loads::run_burn(state->arguments.burn, interruption.fd())
                                : run_network(state->arguments, interruption.fd());
        return write_result(state->arguments, result) ? 0 : 1;
    };
}

} // namespace commands
