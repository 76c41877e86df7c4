#include "commands/agent.h"

#include "agent/agent.h"
#include "agent/lender.h"
#include "agent/server.h"
#include "agent/service.h"
#include "base/error.h"
#include "commands/agent_options.h"
#include "commands/bulletin.h"
#include "commands/progress.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <set>

namespace commands {
namespace {

using base::Nanoseconds;

/// A scraper of text files seldom looks more often.
constexpr auto textfile_pause = std::chrono::seconds(15);

agent::Plan make_plan(const AgentOptions& options) {
    return {.cpus = base::parse_cpu_list(options.instrument.cpus),
            .working_set = soak::WorkingSetChoice::parse(options.instrument.working_set),
            .yield = soak::parse_yield(options.instrument.yield),
            .duty_ratio = parse_duty(options.duty),
            .window = parse_window(options.window)};
}

agent::Server::Options server_options(const AgentOptions& options) {
    return {.listen = options.listen,
            .tls_certificate = options.tls_cert,
            .tls_key = options.tls_key,
            .users = options.users};
}

bool same_server(const AgentOptions& a, const AgentOptions& b) {
    return std::tie(a.listen, a.tls_cert, a.tls_key, a.users) ==
           std::tie(b.listen, b.tls_cert, b.tls_key, b.users);
}

/// The agent and all that stands around it, until a signal ends it.
class AgentCommand {
  public:
    AgentCommand(const std::vector<std::string>& words, const base::OriginalSignals& original)
        : words_(words), options_(read_agent_options(words)), signals_(original),
          progress_(options_.quiet), bulletin_(options_.per_cpu),
          agent_(make_plan(options_), loop_,
                 {[this](const std::string& line) { say(line); },
                  [this](demand::PublishedTotals totals) { publish(std::move(totals)); },
                  [this](const std::function<void()>& fork) { fork_alone(fork); }}),
          lender_(
              soak::holder_path(), loop_, [this] { agent_.pause(); }, [this] { agent_.resume(); }) {
        make_server(options_);
        loop_.watch(signals_.fd(), [this] { take_signals(); });
    }

    int run() {
        progress_.note("cyclesoak: " + serving());
        while (!ending_) {
            agent_.run();
            if (std::exchange(rereading_, false)) reread();
        }
        service_.stopping();
        return 0;
    }

  private:
    void take_signals() {
        while (const auto signal = signals_.take()) {
            (*signal == SIGHUP ? rereading_ : ending_) = true;
            agent_.stop();
        }
    }

    void make_server(const AgentOptions& options) {
        server_.reset();
        server_ = std::make_unique<agent::Server>(server_options(options), bulletin_.paths());
    }

    /// A configuration that cannot be is told, and the one before stays in force.
    void reread() {
        service_.reloading(base::monotonic_now());
        try {
            const auto options = read_agent_options(words_);
            agent_.change(make_plan(options));
            if (!same_server(options, options_)) take_up_server(options);
            bulletin_.set_per_cpu(options.per_cpu);
            options_ = options;
            say("the configuration was read again");
        } catch (const std::exception& error) {
            say(fmt::format("{}; the configuration stays as it was", error.what()));
        }
        service_.ready(serving());
    }

    void take_up_server(const AgentOptions& options) {
        try {
            make_server(options);
            say(serving());
        } catch (const std::exception&) {
            make_server(options_);
            agent_.change(make_plan(options_));
            throw;
        }
    }

    void fork_alone(const std::function<void()>& fork) {
        server_->stop_threads();
        try {
            fork();
        } catch (...) {
            server_->start_threads();
            throw;
        }
        server_->start_threads();
    }

    void publish(demand::PublishedTotals totals) {
        for (const auto& warning : totals->warnings)
            if (warned_.insert(warning.id).second) say(warning.text);
        bulletin_.publish(std::move(totals));
        const auto now = base::monotonic_now();
        write_textfile(now);
        server_->tend([this](const std::string& complaint) { say(complaint); });
        if (!std::exchange(ready_, true)) service_.ready(serving());
        service_.alive(now);
    }

    void write_textfile(Nanoseconds now) {
        if (!options_.textfile || now < next_textfile_) return;
        next_textfile_ = now + textfile_pause;
        try {
            base::replace_file(*options_.textfile, *bulletin_.metrics());
            textfile_failed_ = false;
        } catch (const std::exception& error) {
            if (!std::exchange(textfile_failed_, true))
                say(fmt::format("--textfile: {}; trying on", error.what()));
        }
    }

    std::string serving() const {
        return fmt::format("serving {}", fmt::join(server_->addresses(), ", "));
    }

    void say(const std::string& line) { progress_.print("cyclesoak: " + line); }

    std::vector<std::string> words_;
    AgentOptions options_;
    base::Loop loop_;
    base::Signals signals_;
    Progress progress_;
    Bulletin bulletin_;
    agent::Service service_;
    agent::Agent agent_;
    agent::Lender lender_;
    std::unique_ptr<agent::Server> server_;
    std::set<std::string> warned_;
    Nanoseconds next_textfile_{};
    bool ready_ = false, textfile_failed_ = false, ending_ = false, rereading_ = false;
};

} // namespace

std::function<int()> add_agent(CLI::App& program, int argc, char** arguments,
                               const base::OriginalSignals& original) {
    auto options = std::make_shared<AgentOptions>();
    auto* command = program.add_subcommand(
        "agent", "Measure all the time, at hardly any cost, and serve it to Prometheus");
    add_agent_options(*command, *options);
    command->footer("Example:\n  cyclesoak agent --listen 127.0.0.1:12001");
    const std::vector<std::string> all(arguments, arguments + argc);
    return [all, options, &original] {
        const auto name = std::find(all.begin(), all.end(), "agent");
        return AgentCommand({name + 1, all.end()}, original).run();
    };
}

} // namespace commands
