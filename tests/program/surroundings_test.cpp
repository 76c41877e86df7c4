#include "base/files.h"
#include "tests/program/skewed_clock.h"

#include <gmock/gmock.h>

#include <unistd.h>

namespace {

using program::run;
using program::short_load;
using program::short_run;
using testing::AllOf;
using testing::HasSubstr;

/// A window of `watch`, with a state folder of its own.
program::Ended watch_with_state(const std::filesystem::path& folder) {
    return run({"watch", "-n", "1", "-p", "100ms"}, {.environment = {{"XDG_STATE_HOME", folder}}});
}

class StoredCalibration : public testing::Test {
  protected:
    void TearDown() override { std::filesystem::remove_all(folder_); }
    void store(const std::string& text) { base::replace_file(file_, text); }
    std::string stored() const { return base::read_file(file_).value_or(""); }
    /// One taken on a busy machine is not kept.
    nlohmann::json make() {
        for (int tries = 0; tries < 20 && stored().empty(); ++tries)
            watch_with_state(folder_);
        return nlohmann::json::parse(stored());
    }

    std::filesystem::path folder_ = program::fresh_folder("state");
    std::filesystem::path file_ = folder_ / "cyclesoak" / "calibration.json";
};

TEST_F(StoredCalibration, is_made_told_and_then_used) {
    const auto first = watch_with_state(folder_);
    EXPECT_TRUE(program::measured(first)) << first.err;
    EXPECT_THAT(first.err, HasSubstr("calibrating (there is none yet)"));
    const auto second = watch_with_state(folder_);
    EXPECT_THAT(second.err, Not(HasSubstr("there is none")));
}

TEST_F(StoredCalibration, that_is_damaged_is_named_refused_and_left_alone) {
    store("{\"kind\": \"cyclesoak cal");
    const auto ended = watch_with_state(folder_);
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    EXPECT_THAT(ended.err, AllOf(HasSubstr(file_.string()), HasSubstr("damaged")));
    EXPECT_EQ(stored(), "{\"kind\": \"cyclesoak cal");
}

TEST_F(StoredCalibration, of_another_kind_or_a_later_version_is_left_alone) {
    for (const std::string text :
         {R"({"kind": "something else"})", R"({"kind": "cyclesoak calibration", "schema": 99})"}) {
        store(text);
        const auto ended = watch_with_state(folder_);
        EXPECT_TRUE(program::measured(ended)) << ended.err;
        EXPECT_THAT(ended.err, HasSubstr("left alone"));
        EXPECT_EQ(stored(), text);
    }
}

TEST_F(StoredCalibration, of_another_kernel_is_redone_and_said) {
    auto calibration = make();
    calibration["fingerprint"]["kernel"] = "2.4.0";
    store(calibration.dump());
    EXPECT_THAT(watch_with_state(folder_).err, HasSubstr("kernel was '2.4.0'"));
    for (int tries = 0; tries < 20 && stored() == calibration.dump(); ++tries)
        watch_with_state(folder_); // it was too busy to keep the new one
    EXPECT_NE(nlohmann::json::parse(stored())["fingerprint"]["kernel"], "2.4.0");
}

TEST_F(StoredCalibration, that_the_soakers_outrun_is_redone_at_once) {
    auto calibration = make();
    for (auto& cpu : calibration["cpus"])
        for (auto& mean : cpu["mean_ticks"])
            mean = 2 * mean.get<double>();
    store(calibration.dump());
    const auto ended = run(short_run({"--baseline", "0"}),
                           {.environment = {{"XDG_STATE_HOME", folder_.string()}}});
    EXPECT_THAT(ended.err, HasSubstr("calibrating (the soakers get through more"));
    EXPECT_TRUE(program::measured(ended)) << ended.err;
}

TEST_F(StoredCalibration, that_cannot_be_kept_is_no_reason_to_stop) {
    const auto ended = watch_with_state("/proc/no-place");
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("could not be stored"));
}

TEST(Surroundings, a_full_disk_fails_the_file_and_not_the_report) {
    const auto ended = run(short_run({"--output", "/dev/full"}));
    EXPECT_EQ(ended.exit_status, 1);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("/dev/full"), HasSubstr("No space left")));
    EXPECT_THAT(ended.out, HasSubstr("Service demand"));
}

TEST(Surroundings, a_full_disk_behind_stdout_is_an_error) {
    for (const auto& command :
         {short_run({}), {"load", "burn", "-t", "20ms"}, {"watch", "-p", "100ms"}, {"calibrate"}}) {
        const auto ended = run(command, {.stdout_to = "/dev/full"});
        EXPECT_EQ(ended.exit_status, 1) << command.front();
        EXPECT_THAT(ended.err, AllOf(HasSubstr("stdout"), HasSubstr("No space left")));
    }
}

TEST(Surroundings, the_file_has_the_report_and_stdout_the_table) {
    const auto folder = program::fresh_folder("output");
    const auto file = folder / "report.json";
    const auto ended = run(short_run({"--output", file}));
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("Service demand"));
    EXPECT_EQ(nlohmann::json::parse(base::read_file(file).value_or("")).at("schema"), 1);
    std::filesystem::remove_all(folder);
}

TEST(Surroundings, without_privileges_it_works_and_names_what_was_missing) {
    const auto folder = program::fresh_folder("nobody");
    std::filesystem::permissions(folder, std::filesystem::perms::all);
    // The build folder may be closed to others.
    const auto copy = folder / "cyclesoak";
    std::filesystem::copy_file(program::path, copy);
    const auto ended =
        run(short_run({}, short_load(copy)),
            {.program = copy, .environment = {{"XDG_STATE_HOME", folder}}, .as_nobody = true});
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    const auto report = ended.json();
    EXPECT_TRUE(program::has_warning(report, "no-cgroup")) << report.at("warnings");
    EXPECT_NE(report.at("yielding"), "cgroup");
    std::filesystem::remove_all(folder);
}

TEST(Surroundings, a_counter_that_leaves_the_kernels_clock_is_left_and_told) {
    const program::SkewedClock clock;
    const auto load = "(sleep 1; touch " + clock.trigger().string() + ") & exec '" + program::path +
                      "'" + " load udp --rate 5k -t 5s --format json";
    const auto ended = run(short_run({}, {"sh", "-c", load}), {.environment = clock.environment()});
    EXPECT_THAT(ended.exit_status, testing::AnyOf(0, 3)) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("parted from the kernel's clock"));
    const auto report = ended.json();
    EXPECT_TRUE(program::has_warning(report, "discarded-clock")) << report.at("warnings");
    EXPECT_TRUE(program::has_warning(report, "no-counter")) << report.at("warnings");
}

TEST(Surroundings, one_cpu_is_enough) {
    const auto folder = program::fresh_folder("one-cpu");
    const auto ended = run(short_run({}), {.environment = {{"XDG_STATE_HOME", folder}},
                                           .before = {"taskset", "-c", "0"}});
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    const auto report = ended.json();
    ASSERT_EQ(report.at("cpus").size(), 1u);
    EXPECT_EQ(report.at("cpus").at(0).at("cpu"), 0);
    std::filesystem::remove_all(folder);
}

TEST(Surroundings, a_second_one_on_the_same_cpus_is_refused_with_the_holder) {
    program::Running first({"watch", "-p", "100ms"});
    ASSERT_TRUE(first.says("System load"));
    const auto second = run({"watch", "-n", "1"});
    EXPECT_EQ(second.exit_status, 1);
    EXPECT_THAT(second.err, HasSubstr("process " + std::to_string(first.pid())));
}

TEST(Surroundings, causes_add_up_and_own_is_shown) {
    const auto report = run(short_run({})).json();
    double own = 0;
    for (const auto& cpu : report.at("cpus")) {
        double sum = 0;
        for (const auto& [cause, seconds] : cpu.at("causes").items())
            sum += seconds.get<double>();
        EXPECT_NEAR(sum, cpu.at("stolen_seconds").get<double>(), 1e-9);
        own += cpu.at("own_seconds").get<double>();
    }
    EXPECT_GT(own, 0);
}

} // namespace
