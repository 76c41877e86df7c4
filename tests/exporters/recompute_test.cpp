#include "exporters/json.h"
#include "tests/exporters/full_report.h"

#include <boost/math/distributions/students_t.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

// Every figure of a report must follow from the report's own text. What follows knows the text and
// docs/report.md, and nothing of how it was made.

namespace {

using nlohmann::json;

json report_text(const demand::Measurement& measurement) {
    std::ostringstream out;
    exporters::write_json(out, {demand::make_report(measurement)});
    return json::parse(out.str());
}

std::vector<json> phases_of(const json& report, const std::string& kind) {
    std::vector<json> result;
    for (const json& phase : report["phases"])
        if (phase["kind"] == kind) result.push_back(phase);
    return result;
}

/// (sum of `over` / sum of `under`), leaving out the phases from `begin` to `end`.
double ratio(const std::vector<double>& over, const std::vector<double>& under, size_t begin = 0,
             size_t end = 0) {
    double top = 0, bottom = 0;
    for (size_t i = 0; i < over.size(); ++i) {
        if (i >= begin && i < end) continue;
        top += over[i];
        bottom += under[i];
    }
    return top / bottom;
}

double sum(const std::vector<double>& values) {
    double result = 0;
    for (const double value : values)
        result += value;
    return result;
}

template <typename Estimate>
double jackknife(size_t count, size_t blocks, Estimate without) {
    const size_t size = count / blocks;
    std::vector<double> values;
    for (size_t i = 0; i < blocks; ++i)
        values.push_back(without(i * size, i + 1 == blocks ? count : (i + 1) * size));
    double mean = 0, squares = 0;
    for (const double value : values)
        mean += value / static_cast<double>(blocks);
    for (const double value : values)
        squares += std::pow(value - mean, 2);
    return squares * (static_cast<double>(blocks) - 1) / static_cast<double>(blocks);
}

double half_width(double confidence, const std::vector<std::pair<double, double>>& variances) {
    double total = 0, weights = 0;
    for (const auto& [variance, freedom] : variances) {
        total += variance;
        weights += variance * variance / freedom;
    }
    const boost::math::students_t student(total * total / weights);
    return boost::math::quantile(student, 0.5 + confidence / 2) * std::sqrt(total);
}

json baseline_of(const json& report, const std::string& kind) {
    for (const json& baseline : report["baseline"])
        if (baseline["kind"] == kind) return baseline;
    return {};
}

void expect_demands_follow(const json& report) {
    for (const json& demand : report["demand"]) {
        const std::string kind = demand["method"] == "soaked" ? "soaked" : "free";
        std::vector<double> cost, units;
        for (const json& phase : phases_of(report, kind)) {
            cost.push_back(phase["net_seconds"]);
            units.push_back(phase["apportioned"][demand["unit"].get<std::string>()]);
        }
        const double value = ratio(cost, units);
        EXPECT_NEAR(demand["seconds_per_unit"].get<double>(), value, 1e-9 * std::abs(value));
        if (!demand.contains("low")) continue;

        const size_t blocks = demand["blocks"];
        const json baseline = baseline_of(report, kind);
        const double error = baseline["net_error_seconds"].get<double>() / sum(units);
        const double half = half_width(
            demand["confidence"],
            {{jackknife(cost.size(), blocks,
                        [&](size_t begin, size_t end) { return ratio(cost, units, begin, end); }),
              static_cast<double>(blocks) - 1},
             {error * error, baseline["phases"].get<double>() - 1}});
        EXPECT_NEAR(demand["low"].get<double>(), value - half, 1e-6 * half);
        EXPECT_NEAR(demand["high"].get<double>(), value + half, 1e-6 * half);
    }
}

TEST(Recompute, demands_and_their_intervals) {
    const json report = report_text(full_measurement());
    EXPECT_EQ(report["demand"].size(), 8u); // four units, two methods
    expect_demands_follow(report);
}

TEST(Recompute, demands_of_merged_blocks) {
    demand::Measurement measurement = full_measurement(2, 25);
    int count = 0;
    for (auto& phase : measurement.phases) // a cost that comes and goes
        for (auto& window : phase.soaked) {
            if (phase.stage != demand::Stage::load || ++count / 20 % 2 == 0) continue;
            window.causes.tasks += std::chrono::milliseconds(30);
            window.stolen += std::chrono::milliseconds(30);
            window.soaked -= std::chrono::milliseconds(30);
        }
    const json report = report_text(measurement);
    EXPECT_LT(report["demand"].back()["blocks"], report["demand"].back()["pairs"]);
    expect_demands_follow(report);
}

TEST(Recompute, net_cost_of_phases_is_that_of_cpus) {
    const json report = report_text(full_measurement());
    double soaked = 0, free = 0;
    for (const json& phase : phases_of(report, "soaked"))
        soaked += phase["net_seconds"].get<double>();
    for (const json& phase : phases_of(report, "free"))
        free += phase["net_seconds"].get<double>();
    for (const json& cpu : report["cpus"]) {
        soaked -= cpu["stolen_seconds"].get<double>() - cpu["baseline_seconds"].get<double>();
        free -= cpu["idle_time_busy_seconds"].get<double>() -
                cpu["idle_time_baseline_seconds"].get<double>();
    }
    EXPECT_NEAR(soaked, 0, 1e-8);
    EXPECT_NEAR(free, 0, 1e-8);
}

TEST(Recompute, what_was_apportioned) {
    const json report = report_text(full_measurement()), work = report["work"];
    const auto expect_share = [&](const json& phase, const char* unit, double total,
                                  const char* proxy) {
        EXPECT_NEAR(phase["apportioned"][unit].get<double>(),
                    total * phase[proxy].get<double>() / work[proxy].get<double>(), 1e-6);
    };
    for (const json& phase : report["phases"]) {
        expect_share(phase, "byte", work["bytes"], "proxy_bytes");
        expect_share(phase, "packet", work["packets"], "proxy_packets");
        expect_share(phase, "transaction", work["transactions"], "proxy_packets");
        expect_share(phase, "request", work["units"]["request"], "proxy_packets");
        EXPECT_EQ(phase["units"], phase["apportioned"][work["unit"].get<std::string>()]);
    }
}

TEST(Recompute, perturbation) {
    const json report = report_text(full_measurement()), found = report["perturbation"];
    std::vector<double> units[2], seconds[2], tasks[2], calls[2];
    const char* kinds[] = {"soaked", "free"};
    for (int kind = 0; kind < 2; ++kind)
        for (const json& phase : phases_of(report, kinds[kind])) {
            units[kind].push_back(phase["units"]);
            seconds[kind].push_back(phase["seconds"]);
            tasks[kind].push_back(phase["task_seconds"]);
            calls[kind].push_back(phase["function_call"]);
        }
    const auto rate = [&](size_t begin, size_t end) {
        return ratio(units[0], seconds[0], begin, end) / ratio(units[1], seconds[1], begin, end);
    };
    const auto cpu = [&](size_t begin, size_t end) {
        return ratio(tasks[0], units[0], begin, end) / ratio(tasks[1], units[1], begin, end);
    };
    const size_t count = units[0].size(), blocks = found["blocks"],
                 cpu_blocks = found["cpu_blocks"];
    EXPECT_NEAR(found["rate_ratio"].get<double>(), rate(0, 0), 1e-9);
    const double half =
        half_width(0.95, {{jackknife(count, blocks, rate), static_cast<double>(blocks) - 1}});
    EXPECT_NEAR(found["low"].get<double>(), rate(0, 0) - half, 1e-9);
    EXPECT_NEAR(found["high"].get<double>(), rate(0, 0) + half, 1e-9);

    EXPECT_NEAR(found["cpu_per_unit_ratio"].get<double>(), cpu(0, 0), 1e-9);
    std::vector<std::pair<double, double>> variances{
        {jackknife(count, cpu_blocks, cpu), static_cast<double>(cpu_blocks) - 1}};
    for (int kind = 0; kind < 2; ++kind) {
        const json baseline = baseline_of(report, kinds[kind]);
        const double error =
            cpu(0, 0) * baseline["task_error_seconds"].get<double>() / sum(tasks[kind]);
        variances.emplace_back(error * error, baseline["phases"].get<double>() - 1);
    }
    EXPECT_NEAR(found["cpu_low"].get<double>(), cpu(0, 0) - half_width(0.95, variances), 1e-9);
    EXPECT_NEAR(found["cpu_high"].get<double>(), cpu(0, 0) + half_width(0.95, variances), 1e-9);
    EXPECT_EQ(found["interrupt_unit"], report["work"]["unit"]);
    EXPECT_NEAR(found["free_interrupts"]["function_call"].get<double>(), ratio(calls[1], units[1]),
                1e-9);
}

} // namespace
