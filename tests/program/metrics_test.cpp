#include "base/files.h"
#include "base/text.h"
#include "tests/program/debian.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <unistd.h>

namespace {

using program::run;
using program::short_run;
using testing::AllOf;
using testing::HasSubstr;

/// Of the series of that metric with all of these labels.
double value_of(const std::string& text, const std::string& metric,
                const std::vector<std::string>& labels) {
    for (const auto line : base::lines(text)) {
        const auto has = [&](const auto& label) { return line.find(label) != line.npos; };
        if (line.starts_with(metric + "{") && std::ranges::all_of(labels, has))
            return base::parse_number(line.substr(line.rfind(' ') + 1)).value_or(-1);
    }
    ADD_FAILURE() << "no " << metric << " in\n" << text;
    return -1;
}

std::string host_name() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

void expect_clean(const std::string& file) {
    const auto command =
        fmt::format("'{}' check metrics < '{}'", debian::path("prometheus", "promtool"), file);
    const auto ended = run({"-c", command}, {.program = "sh"});
    EXPECT_EQ(ended.exit_status, 0) << ended.err;
    EXPECT_EQ(ended.out + ended.err, "");
}

TEST(Metrics, are_as_prometheus_wants_them) {
    for (const char* name : {"metrics.txt", "run_metrics.txt"})
        expect_clean(fmt::format("{}/golden/{}", TEST_DATA, name));
}

TEST(Metrics, of_a_run_reach_node_exporter_and_a_pushgateway) {
    const auto folder = program::fresh_folder("metrics");
    const auto file = (folder / "cyclesoak.prom").string();
    const debian::Server gateway("prometheus-pushgateway", {"--persistence.file="});
    const debian::Server exporter("prometheus-node-exporter",
                                  {"--collector.disable-defaults", "--collector.textfile",
                                   "--collector.textfile.directory=" + folder.string()});

    const auto ended =
        run(short_run({"--textfile", file, "--pushgateway", gateway.url(), "--push-job", "a job"}));
    ASSERT_TRUE(program::measured(ended)) << ended.err;
    expect_clean(file);
    const auto exported = exporter.get("/metrics"), pushed = gateway.get("/metrics");
    EXPECT_THAT(exported, HasSubstr("node_textfile_scrape_error 0"));
    const auto report = ended.json();
    for (const auto& demand : report.at("demand")) {
        const std::vector<std::string> labels{
            fmt::format("unit=\"{}\"", demand.at("unit").get<std::string>()),
            fmt::format("method=\"{}\"", demand.at("method").get<std::string>())};
        const double seconds = demand.at("seconds_per_unit");
        EXPECT_DOUBLE_EQ(value_of(exported, "cyclesoak_run_demand_seconds", labels), seconds);
        EXPECT_DOUBLE_EQ(value_of(pushed, "cyclesoak_run_demand_seconds", labels), seconds);
    }
    EXPECT_EQ(value_of(pushed, "cyclesoak_run_benchmark_exit_status",
                       {"job=\"a job\"", "instance=\"" + host_name() + '"'}),
              0);
    std::filesystem::remove_all(folder);
}

/// Next to nothing, with a report all the same.
std::vector<std::string> shortest_run(const std::vector<std::string>& options) {
    std::vector<std::string> all{"--free", "--baseline", "0"};
    all.insert(all.end(), options.begin(), options.end());
    return short_run(all, {"sleep", "0.3"});
}

TEST(Metrics, that_reach_nobody_cost_no_report) {
    const auto ended = run(shortest_run(
        {"--textfile", "/proc/nowhere/run.prom", "--pushgateway", "http://127.0.0.1:1"}));
    EXPECT_EQ(ended.exit_status, 1);
    EXPECT_EQ(ended.json().at("benchmark").at("exit_status"), 0);
    EXPECT_THAT(ended.err,
                AllOf(HasSubstr("cyclesoak: --textfile: "),
                      HasSubstr("cyclesoak: --pushgateway: http://127.0.0.1:1/metrics/")));
}

TEST(Metrics, that_a_gateway_refuses_are_told_with_its_reason) {
    const debian::Server gateway("prometheus-pushgateway", {"--persistence.file="});
    const auto wrong = gateway.url() + "/nowhere";
    const auto ended = run(shortest_run({"--pushgateway", wrong}));
    EXPECT_EQ(ended.exit_status, 1);
    EXPECT_THAT(ended.err, HasSubstr("cyclesoak: --pushgateway: " + wrong + "/metrics/job/"));
    EXPECT_THAT(ended.err, HasSubstr(": HTTP 404 "));
}

} // namespace
