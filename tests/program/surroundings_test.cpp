#include "base/files.h"
#include "soak/calibration_store.h"
#include "soak/timebase.h"
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

/// One that a busy machine gave is not kept, and that is said.
bool was_not_kept(const program::Ended& ended) {
    return ended.err.find("Nothing was stored") != ended.err.npos;
}

class StoredCalibration : public testing::Test {
  protected:
    void TearDown() override { std::filesystem::remove_all(folder_); }
    void store(const std::string& text) { base::replace_file(file_, text); }
    std::string stored() const { return base::read_file(file_).value_or(""); }
    /// Stores one for this machine, by which a chunk takes so many ticks.
    void store(double ticks, const std::string& kernel = "") {
        const auto cpus = soak::unreserved(soak::Topology().cpus(), base::Root());
        auto fingerprint = soak::read_fingerprint(base::Root(), cpus, {});
        if (!kernel.empty()) fingerprint["kernel"] = kernel;
        const auto timebase = soak::Timebase::measure();
        soak::Calibration calibration{.ticks_per_ns = timebase.ticks_per_ns(),
                                      .counter = timebase.counter()};
        for (const int cpu : cpus)
            calibration.cpus.push_back({.cpu = cpu,
                                        .mean = {ticks, ticks, ticks},
                                        .limits = {.nominal = {1, 1, 1},
                                                   .threshold = {100'000, 100'000, 100'000},
                                                   .reading = 100'000},
                                        .windows = 20});
        soak::write_calibration(file_, calibration, fingerprint);
    }

    std::filesystem::path folder_ = program::fresh_folder("state");
    std::filesystem::path file_ = folder_ / "cyclesoak" / "calibration.json";
};

TEST_F(StoredCalibration, is_made_and_told) {
    const auto ended = watch_with_state(folder_);
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("calibrating (there is none yet)"));
    EXPECT_TRUE(!stored().empty() || was_not_kept(ended)) << ended.err;
}

TEST_F(StoredCalibration, is_used) {
    store(1);
    const auto before = stored();
    const auto ended = watch_with_state(folder_);
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    EXPECT_THAT(ended.err, Not(HasSubstr("calibrating")));
    EXPECT_EQ(stored(), before);
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
    store(1, "2.4.0");
    const auto before = stored();
    const auto ended = watch_with_state(folder_);
    EXPECT_THAT(ended.err, HasSubstr("kernel was '2.4.0'"));
    EXPECT_TRUE(stored() != before || was_not_kept(ended)) << ended.err;
}

TEST_F(StoredCalibration, that_the_soakers_outrun_is_redone_at_once) {
    store(1e6);
    const auto ended = run(short_run({"--baseline", "0"}),
                           {.environment = {{"XDG_STATE_HOME", folder_.string()}}});
    EXPECT_THAT(ended.err, HasSubstr("calibrating (the soakers get through more"));
    EXPECT_TRUE(program::measured(ended)) << ended.err;
}

TEST_F(StoredCalibration, that_cannot_be_kept_is_no_reason_to_stop) {
    const auto ended = watch_with_state("/proc/no-place");
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    EXPECT_TRUE(was_not_kept(ended) || ended.err.find("could not be stored") != ended.err.npos)
        << ended.err;
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
