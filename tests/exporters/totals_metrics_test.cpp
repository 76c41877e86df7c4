#include "base/text.h"
#include "exporters/totals_metrics.h"
#include "tests/exporters/full_totals.h"
#include "tests/exporters/golden.h"

#include <gmock/gmock.h>

namespace {

using demand::Totals;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string metrics_of(Totals totals, std::optional<bool> per_cpu = {}) {
    return exporters::make_metrics(std::make_shared<const Totals>(std::move(totals)), per_cpu);
}

/// Without help and types.
std::vector<std::string_view> series_of(const std::string& text) {
    auto lines = base::lines(text);
    std::erase_if(lines, [](std::string_view line) { return line.starts_with('#'); });
    return lines;
}

/// Of the line that begins so.
double value_of(const std::string& text, const std::string& series) {
    for (const auto line : base::lines(text))
        if (line.starts_with(series + " "))
            return base::parse_number(line.substr(series.size() + 1)).value();
    throw std::out_of_range(series);
}

TEST(TotalsMetrics, of_full_totals) {
    expect_golden("metrics.txt", without_version(metrics_of(full_totals())));
}

TEST(TotalsMetrics, are_no_more_than_200_on_16_cpus) {
    const auto text = metrics_of(full_totals(16));
    EXPECT_LE(series_of(text).size(), 200u);
    EXPECT_THAT(text, HasSubstr("cyclesoak_cpu_busy_seconds_total{cpu=\"15\"} 90\n"));
}

TEST(TotalsMetrics, are_sums_without_the_label_above_128_cpus) {
    EXPECT_THAT(metrics_of(full_totals(128)), HasSubstr("{cpu=\"127\"}"));
    const auto text = metrics_of(full_totals(129));
    EXPECT_THAT(text, Not(HasSubstr("cpu=\"")));
    EXPECT_EQ(value_of(text, "cyclesoak_cpu_busy_seconds_total"), 129 * 90);
    EXPECT_DOUBLE_EQ(value_of(text, "cyclesoak_cpu_stolen_seconds_total{cause=\"cache\"}"),
                     129 * 0.15);
    EXPECT_EQ(value_of(text, "cyclesoak_cpu_accounted_seconds_total"), 129 * 900);
}

TEST(TotalsMetrics, are_of_each_cpu_or_not_as_was_asked_for) {
    EXPECT_THAT(metrics_of(full_totals(129), true), HasSubstr("{cpu=\"128\"}"));
    EXPECT_THAT(metrics_of(full_totals(2), false), Not(HasSubstr("cpu=\"")));
}

TEST(TotalsMetrics, of_sums_contain_cpus_that_have_gone) {
    auto totals = full_totals(2);
    totals.departed = totals.cpus.back();
    totals.cpus.pop_back();
    const auto text = metrics_of(totals, false);
    EXPECT_EQ(value_of(text, "cyclesoak_cpu_accounted_seconds_total"), 1800);
    EXPECT_EQ(value_of(text, "cyclesoak_cpu_busy_seconds_total"), 180);
    EXPECT_EQ(value_of(text, "cyclesoak_cache_carried_over_variance_seconds_squared_total"), 0.5);
}

TEST(TotalsMetrics, leave_out_what_is_not_known) {
    Totals totals;
    totals.cpus.push_back({});
    const auto text = metrics_of(totals);
    for (const char* absent : {"busy", "hypervisor", "undisturbed", "tcp", "udp", "network",
                               "discarded", "timestamp", "start_time", "yielding"})
        EXPECT_THAT(series_of(text), Not(Contains(HasSubstr(absent)))) << absent;
    EXPECT_THAT(text, HasSubstr("cyclesoak_calibration_state{state=\"good\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("cyclesoak_host_info 1\n"));
}

TEST(TotalsMetrics, tell_whether_windows_disturb) {
    auto totals = full_totals();
    totals.undisturbed = false;
    EXPECT_EQ(value_of(metrics_of(totals), "cyclesoak_windows_undisturbed"), 0);
}

TEST(TotalsMetrics, tell_the_hypervisor_apart_where_it_is) {
    auto totals = full_totals();
    for (auto& cpu : totals.cpus)
        cpu.windows.causes.hypervisor = std::chrono::milliseconds(25);
    EXPECT_EQ(value_of(metrics_of(totals),
                       "cyclesoak_cpu_stolen_seconds_total{cpu=\"1\",cause=\"hypervisor\"}"),
              0.025);
}

TEST(TotalsMetrics, keep_their_precision_for_years) {
    const auto five_years = std::chrono::hours(5 * 365 * 24);
    auto totals = full_totals(1);
    const auto busy = [&](base::Nanoseconds time) {
        totals.cpus[0].busy = time;
        return value_of(metrics_of(totals), "cyclesoak_cpu_busy_seconds_total{cpu=\"0\"}");
    };
    constexpr auto step = std::chrono::microseconds(1);
    EXPECT_NEAR(busy(five_years + step) - busy(five_years), 1e-6, 1e-7);
    EXPECT_NEAR(busy(five_years + 3 * step) - busy(five_years + 2 * step), 1e-6, 1e-7);

    const auto received = [&](uint64_t bytes) {
        totals.devices[1].rx_bytes = bytes;
        return value_of(metrics_of(totals),
                        "cyclesoak_network_receive_bytes_total{device=\"eth0\"}");
    };
    constexpr uint64_t many = 1'000'000'000'000'000'000;
    EXPECT_NEAR(received(many + 10'000) - received(many), 10'000, 1'000);
    constexpr uint64_t exact = 9'007'199'254'740'991;
    EXPECT_EQ(received(exact) - received(exact - 1), 1);
}

TEST(TotalsMetrics, survive_any_name_of_a_device) {
    auto totals = full_totals();
    for (const char* name : {"a \"b\" \\n\n", "größe", "caf\xe9", "caf\xe8", "caf\xe8"})
        totals.devices.push_back({.name = name});
    const auto text = metrics_of(totals);
    EXPECT_THAT(text, AllOf(HasSubstr(R"({device="a \"b\" \\n\n"})"),
                            HasSubstr("{device=\"größe\"}"), HasSubstr(R"({device="caf\\xe9"})"),
                            HasSubstr(R"({device="caf\\xe8"})"), Not(HasSubstr("\xe9"))));
    // Two equal series would cost all of them.
    const std::string twice = R"(cyclesoak_network_receive_bytes_total{device="caf\\xe8"})";
    EXPECT_EQ(text.find(twice), text.rfind(twice));
}

TEST(TotalsMetrics, make_label_names_of_any_key) {
    auto totals = full_totals();
    totals.host = {{"boot.mitigations", "off"}};
    EXPECT_THAT(metrics_of(totals), HasSubstr("{boot_mitigations=\"off\""));
}

} // namespace
