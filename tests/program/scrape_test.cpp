#include "tests/agent/some_passwords.h"
#include "tests/agent/tls_client.h"
#include "tests/program/agent.h"
#include "tests/program/debian.h"

#include <fmt/ranges.h>

#include <fstream>
#include <map>

namespace {

using nlohmann::json;
using program::run;
using testing::HasSubstr;

/// NAME{LABELS} with its labels, in which there are no commas, in their alphabetic order.
std::string in_order(std::string_view series) {
    const auto brace = series.find('{');
    if (brace == series.npos) return std::string(series);
    auto labels = base::split(series.substr(brace), "{},");
    std::ranges::sort(labels);
    return fmt::format("{}{{{}}}", series.substr(0, brace), fmt::join(labels, ","));
}

/// Value by series, as /metrics writes them; only of those that never fall.
std::map<std::string, double> counters(const std::string& text) {
    std::map<std::string, double> values;
    for (const auto line : base::lines(text)) {
        const auto name = line.substr(0, line.find_first_of("{ "));
        const bool counts = name.ends_with("_total") || name.ends_with("_count") ||
                            name.ends_with("_sum") || name.ends_with("_bucket");
        if (line.starts_with('#') || !counts) continue;
        const auto blank = line.rfind(' ');
        values[in_order(line.substr(0, blank))] =
            base::parse_number(line.substr(blank + 1)).value_or(-1);
    }
    return values;
}

/// A query's answer as /metrics would write it: NAME{LABELS} by series, without job and instance.
std::map<std::string, double> series(const json& answer) {
    std::map<std::string, double> values;
    for (const auto& result : answer.at("data").at("result")) {
        auto labels = result.at("metric").get<std::map<std::string, std::string>>();
        std::string name = labels.at("__name__"), text;
        for (const char* ours : {"__name__", "job", "instance"})
            labels.erase(ours);
        for (const auto& [label, value] : labels)
            text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", label, value);
        if (!text.empty()) name += '{' + text + '}';
        values[name] = std::stod(result.at("value").at(1).get<std::string>());
    }
    return values;
}

/// Debian's prometheus, scraping `target` once a second.
class Prometheus {
  public:
    Prometheus(const std::filesystem::path& folder, const std::string& target,
               const std::string& more = "")
        : server_("prometheus",
                  {"--config.file=" + configure(folder, target, more),
                   "--storage.tsdb.path=" + (folder / "data").string(), "--log.level=info"}) {}

    /// Null as long as it is not ready.
    json query(const std::string& text) const {
        const auto ended = run({"-sS", "--max-time", "10", "-G", "--data-urlencode",
                                "query=" + text, server_.url() + "/api/v1/query"},
                               {.program = "curl"});
        const auto answer = json::parse(ended.out, nullptr, false);
        return answer.is_discarded() ? json() : answer;
    }
    /// The first value of that; asked until there is one and it fits, or for a minute.
    template <typename Fits>
    bool comes_to(const std::string& text, Fits&& fits) const {
        for (int tries = 0; tries < 240; ++tries) {
            const auto answer = query(text);
            const auto result = answer.is_null() ? json() : answer.at("data").at("result");
            if (!result.empty() &&
                fits(std::stod(result.at(0).at("value").at(1).get<std::string>())))
                return true;
            run({"0.25"}, {.program = "sleep"});
        }
        return false;
    }

  private:
    static std::string configure(const std::filesystem::path& folder, const std::string& target,
                                 const std::string& more) {
        const auto file = (folder / "prometheus.yml").string();
        std::ofstream(file) << "global:\n  scrape_interval: 1s\nscrape_configs:\n"
                               "  - job_name: cyclesoak\n"
                            << more << "    static_configs:\n      - targets: ['" << target
                            << "']\n";
        return file;
    }

    debian::Server server_;
};

/// Its parts in files of a folder.
class Secured {
  public:
    Secured() : folder_(program::fresh_folder("secured")) {
        const auto certificate = agent::make_certificate("localhost");
        write("cert.pem", certificate.chain);
        write("key.pem", certificate.key);
        write("users", "operator:" + agent::bcrypt("it's secret") + "\n");
    }
    ~Secured() { std::filesystem::remove_all(folder_); }

    const std::filesystem::path& folder() const { return folder_; }
    std::string file(const std::string& name) const { return (folder_ / name).string(); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }
    std::vector<std::string> options() const {
        return {"--tls-cert",    file("cert.pem"), "--tls-key",
                file("key.pem"), "--users",        file("users")};
    }

  private:
    std::filesystem::path folder_;
};

TEST(Scrape, what_prometheus_answers_lies_between_what_the_agent_said_before_and_after) {
    const auto folder = program::fresh_folder("scrape");
    RunningAgent agent;
    const program::Running load({"load", "udp", "--rate", "5k", "-t", "5m"});
    ASSERT_TRUE(agent.has_windows());
    const Prometheus prometheus(folder, agent.address());
    const auto before = counters(agent.get("/metrics"));
    const double now = agent.totals().at("unix_seconds");
    ASSERT_TRUE(prometheus.comes_to("timestamp(cyclesoak_windows_total)",
                                    [&](double time) { return time > now + 1; }));
    const auto stored = series(prometheus.query("{__name__=~\"(cyclesoak|process)_.*\"}"));
    const auto after = counters(agent.get("/metrics"));

    size_t compared = 0;
    for (const auto& [name, value] : before) {
        ASSERT_TRUE(stored.contains(name)) << name;
        EXPECT_GE(stored.at(name), value) << name;
        EXPECT_LE(stored.at(name), after.at(name)) << name;
        ++compared;
    }
    EXPECT_GT(compared, 30u);
    EXPECT_GT(stored.at("cyclesoak_network_receive_packets_total{device=\"lo\"}"), 0);
    // The question that it is all for: what does a packet cost?
    EXPECT_TRUE(
        prometheus.comes_to("sum(rate(cyclesoak_cpu_busy_seconds_total[1m])) / on() "
                            "sum(rate(cyclesoak_network_receive_packets_total{device=\"lo\"}[1m]))",
                            [](double seconds) { return seconds > 0; }));
    std::filesystem::remove_all(folder);
}

TEST(Scrape, over_tls_and_with_a_password) {
    const Secured secured;
    RunningAgent agent(secured.options());
    const auto curl = [&](const std::vector<std::string>& options) {
        auto all = options;
        all.insert(all.end(), {"--cacert", secured.file("cert.pem"), "--resolve",
                               "localhost:" + agent.address().substr(10) + ":127.0.0.1", "-sS",
                               "--fail", "--max-time", "10", "--retry", "20", "--retry-delay", "1",
                               "https://localhost:" + agent.address().substr(10) + "/metrics"});
        return run(all, {.program = "curl"});
    };
    const auto right = curl({"--user", "operator:it's secret"});
    EXPECT_EQ(right.exit_status, 0) << right.err;
    EXPECT_THAT(right.out, HasSubstr("cyclesoak_build_info"));
    EXPECT_THAT(curl({"--user", "operator:guess"}).err, HasSubstr("401"));
    EXPECT_THAT(curl({}).err, HasSubstr("401"));
    EXPECT_NE(agent.curl("/metrics").exit_status, 0); // not without TLS

    secured.write("password", "it's secret");
    const Prometheus prometheus(secured.folder(), agent.address(),
                                "    scheme: https\n"
                                "    tls_config:\n      insecure_skip_verify: true\n"
                                "    basic_auth:\n      username: operator\n"
                                "      password_file: " +
                                    secured.file("password") + "\n");
    EXPECT_TRUE(prometheus.comes_to("up", [](double up) { return up == 1; }));
}

} // namespace
