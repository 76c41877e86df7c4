#include "agent/calibrator.h"
#include "tests/agent/own_state.h"
#include "tests/soak/usual.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace agent {
namespace {

using namespace std::chrono_literals;
using demand::CalibrationState;
using testing::ElementsAre;
using testing::HasSubstr;

class CalibratorTest : public testing::Test {
  protected:
    Calibrator make(bool alone = true, const base::Root& root = base::Root()) {
        return {instrument_, working_set_, alone,
                [this](const std::string& line) { said_.push_back(line); }, root};
    }
    std::filesystem::path stored() const {
        return state_.path() / "cyclesoak" / "calibration-alone.json";
    }
    /// As an earlier start may have left it; on a busy machine a calibration of now is uncertain.
    void keep_a_good_one() {
        const auto& timebase = instrument_.timebase();
        soak::Calibration good{.ticks_per_ns = timebase.ticks_per_ns(),
                               .counter = timebase.counter()};
        for (const auto cpu : instrument_.cpus()) {
            good.cpus.push_back(usual::calibration(cpu));
            good.cpus.back().windows = soak::enough_windows;
        }
        soak::write_calibration(
            soak::calibration_path(), good,
            soak::read_fingerprint(base::Root(), instrument_.cpus(), working_set_));
    }

    OwnState state_;
    soak::WorkingSetChoice working_set_ = soak::WorkingSetChoice::parse("l1");
    soak::Instrument instrument_{{.working_set = working_set_}};
    base::Loop loop_;
    std::vector<double> quiet_ = std::vector(instrument_.cpus().size(), 0.0);
    std::vector<std::string> said_;
};

Nanoseconds in(Nanoseconds time) { return base::monotonic_now() + time; }

/// Of a soaker that got through twice of what was thought possible.
soak::CpuWindow too_good(int cpu) {
    return {.cpu = cpu,
            .elapsed = 20ms,
            .soaked = 40ms,
            .own = 0ns,
            .stolen = -20ms,
            .causes = {.core = -10ms, .cache = -10ms}};
}

TEST_F(CalibratorTest, every_cpu_is_due_until_it_is_calibrated) {
    auto calibrator = make();
    EXPECT_EQ(calibrator.state(), CalibrationState::missing);
    EXPECT_EQ(calibrator.oldest_unix_seconds(), 0);
    for (size_t at = 0; at < instrument_.cpus().size(); ++at) {
        EXPECT_EQ(calibrator.due(in(0s), quiet_), at);
        ASSERT_TRUE(calibrator.calibrate(loop_, at));
    }
    EXPECT_EQ(calibrator.due(in(0s), quiet_), std::nullopt);
    EXPECT_NE(calibrator.state(), CalibrationState::missing);
    EXPECT_GT(calibrator.oldest_unix_seconds(), 1e9);
}

TEST_F(CalibratorTest, is_redone_after_a_day_in_a_quiet_moment) {
    keep_a_good_one();
    const auto calibrator = make(false);
    ASSERT_EQ(calibrator.state(), CalibrationState::good);
    const std::vector busy(quiet_.size(), 0.9);
    EXPECT_EQ(calibrator.due(in(23h), quiet_), std::nullopt);
    EXPECT_EQ(calibrator.due(in(25h), busy), std::nullopt);
    EXPECT_EQ(calibrator.due(in(25h), quiet_), 0u);
}

TEST_F(CalibratorTest, what_is_good_is_there_at_the_next_start) {
    auto calibrator = make();
    for (size_t at = 0; at < instrument_.cpus().size(); ++at)
        ASSERT_TRUE(calibrator.calibrate(loop_, at));
    // On a busy machine it may be uncertain, and that is not kept.
    EXPECT_EQ(make().state() == CalibrationState::good,
              calibrator.state() == CalibrationState::good);
    // All at once is another calibration.
    EXPECT_EQ(make(false).state(), CalibrationState::missing);
}

TEST_F(CalibratorTest, windows_that_contradict_it_make_it_doubtful) {
    auto calibrator = make(false);
    ASSERT_TRUE(calibrator.calibrate(loop_, 0));
    for (int i = 0; i < 20; ++i)
        calibrator.check(0, too_good(instrument_.cpus()[0]));
    EXPECT_EQ(calibrator.state(), CalibrationState::doubtful);
    EXPECT_EQ(said_.size(), 1u);
    EXPECT_EQ(calibrator.due(in(2h), quiet_), 0u);
}

TEST_F(CalibratorTest, another_governor_makes_every_calibration_void) {
    const auto governor = state_.path() / "sys/devices/system/cpu" /
                          fmt::format("cpu{}", instrument_.cpus().front()) /
                          "cpufreq/scaling_governor";
    std::filesystem::create_directories(governor.parent_path());
    std::ofstream(governor) << "powersave\n";
    auto calibrator = make(false, base::Root(state_.path()));
    ASSERT_TRUE(calibrator.calibrate(loop_, 0));
    calibrator.heed(in(0s));
    EXPECT_NE(calibrator.state(), CalibrationState::missing);

    std::ofstream(governor) << "performance\n";
    calibrator.heed(in(10s)); // too soon to look
    EXPECT_NE(calibrator.state(), CalibrationState::missing);
    calibrator.heed(in(2min));
    EXPECT_EQ(calibrator.state(), CalibrationState::missing);
    EXPECT_THAT(said_, ElementsAre(HasSubstr("governor was 'powersave' and is 'performance'")));
    ASSERT_TRUE(calibrator.calibrate(loop_, 0));
    calibrator.heed(in(4min));
    EXPECT_NE(calibrator.state(), CalibrationState::missing);
}

TEST_F(CalibratorTest, is_stopped_with_the_loop) {
    auto calibrator = make();
    loop_.stop();
    EXPECT_FALSE(calibrator.calibrate(loop_, 0));
    EXPECT_EQ(calibrator.state(), CalibrationState::missing);
}

TEST_F(CalibratorTest, a_foreign_file_is_left_alone) {
    std::filesystem::create_directories(stored().parent_path());
    std::ofstream(stored()) << "not ours";
    auto calibrator = make();
    EXPECT_EQ(calibrator.state(), CalibrationState::missing);
    ASSERT_TRUE(calibrator.calibrate(loop_, 0));
    std::string text;
    std::getline(std::ifstream(stored()), text);
    EXPECT_EQ(text, "not ours");
}

} // namespace
} // namespace agent
