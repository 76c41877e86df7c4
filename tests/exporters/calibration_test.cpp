#include "exporters/calibration.h"
#include "tests/exporters/documented.h"

#include <gmock/gmock.h>

#include <sstream>

namespace {

using testing::HasSubstr;

soak::Calibration calibration() {
    soak::CpuCalibration cpu{.cpu = 5, .cold = 9000, .line_penalty = 30, .windows = 21};
    cpu.mean = {350, 210, 214};
    cpu.spread = {4, 1, 1};
    cpu.stolen_ratio = 0.0123;
    return {.ticks_per_ns = 2, .cpus = {cpu}};
}

TEST(Calibration, is_told_in_nanoseconds) {
    std::ostringstream out;
    exporters::write_calibration(out, calibration());
    EXPECT_THAT(out.str(), HasSubstr("   5      175.0       2.0      4500        15.0      105.0"
                                     "     107.0       1.2\n"));
}

TEST(Calibration, in_json_is_in_seconds_under_documented_keys) {
    std::ostringstream out;
    exporters::write_calibration_json(out, calibration(), {524288});
    const auto json = nlohmann::ordered_json::parse(out.str());
    expect_documented(json);
    EXPECT_EQ(json["ticks_per_second"], 2e9);
    EXPECT_EQ(json["counter"], true);
    const auto& cpu = json["cpus"][0];
    EXPECT_EQ(cpu["cpu"], 5);
    EXPECT_EQ(cpu["working_set_bytes"], 524288);
    EXPECT_DOUBLE_EQ(cpu["walk_seconds"], 175e-9);
    EXPECT_DOUBLE_EQ(cpu["walk_spread_seconds"], 2e-9);
    EXPECT_DOUBLE_EQ(cpu["cold_walk_seconds"], 4500e-9);
    EXPECT_DOUBLE_EQ(cpu["line_penalty_seconds"], 15e-9);
    EXPECT_DOUBLE_EQ(cpu["chain_seconds"], 105e-9);
    EXPECT_DOUBLE_EQ(cpu["block_seconds"], 107e-9);
    EXPECT_DOUBLE_EQ(cpu["stolen_ratio"], 0.0123);
    EXPECT_EQ(cpu["undisturbed_windows"], 21);
}

} // namespace
