#include "soak/calibration_store.h"
#include "tests/recorded_root.h"
#include "tests/soak/usual.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <system_error>

namespace soak {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const Fingerprint here = {{"kernel", "6.1.0"}, {"cpus", "0-1"}, {"governor", "performance"}};

Calibration sample() {
    auto first = usual::calibration(0), second = usual::calibration(1);
    first.spread = {1.5, 2.5, 3.5};
    first.cold = 6000.25;
    first.line_penalty = 17.125;
    first.stolen_ratio = 0.0625;
    first.windows = 40;
    second.limits.ticks_per_ns = first.limits.ticks_per_ns = 2.1;
    second.mean[0] = 1.0 / 3;
    return {.ticks_per_ns = 2.1, .counter = false, .cpus = {first, second}};
}

void expect_same(const CpuCalibration& a, const CpuCalibration& b) {
    EXPECT_EQ(a.cpu, b.cpu);
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.spread, b.spread);
    EXPECT_EQ(a.cold, b.cold);
    EXPECT_EQ(a.line_penalty, b.line_penalty);
    EXPECT_EQ(a.limits.nominal, b.limits.nominal);
    EXPECT_EQ(a.limits.threshold, b.limits.threshold);
    EXPECT_EQ(a.limits.reading, b.limits.reading);
    EXPECT_EQ(a.limits.ticks_per_ns, b.limits.ticks_per_ns);
    EXPECT_EQ(a.stolen_ratio, b.stolen_ratio);
    EXPECT_EQ(a.windows, b.windows);
}

/// A folder with room for one calibration.
struct Store : RecordedRoot {
    std::filesystem::path path() const { return root().at("state/cyclesoak/calibration.json"); }
    void write_text(const std::string& text) const {
        write("state/cyclesoak/calibration.json", text);
    }
    std::string text() const { return base::read_file(path()).value_or(""); }
    StoredCalibration read(const Fingerprint& wanted = here) const {
        return read_calibration(path(), wanted);
    }
};

TEST(CalibrationStore, reads_what_was_written) {
    const Store store;
    write_calibration(store.path(), sample(), here);
    const auto stored = store.read();
    ASSERT_TRUE(stored.calibration) << stored.why;
    EXPECT_THAT(stored.why, IsEmpty());
    EXPECT_EQ(stored.calibration->ticks_per_ns, 2.1);
    EXPECT_FALSE(stored.calibration->counter);
    ASSERT_EQ(stored.calibration->cpus.size(), 2u);
    for (size_t i = 0; i < 2; ++i)
        expect_same(stored.calibration->cpus[i], sample().cpus[i]);
}

TEST(CalibrationStore, a_later_one_replaces_it) {
    const Store store;
    write_calibration(store.path(), sample(), here);
    auto later = sample();
    later.cpus.pop_back();
    write_calibration(store.path(), later, here);
    EXPECT_EQ(store.read().calibration.value().cpus.size(), 1u);
}

TEST(CalibrationStore, says_that_there_is_none) {
    const auto stored = Store().read();
    EXPECT_FALSE(stored.calibration);
    EXPECT_THAT(stored.why, HasSubstr("none"));
    EXPECT_TRUE(stored.replaceable);
}

TEST(CalibrationStore, one_from_elsewhere_is_not_used_but_may_be_replaced) {
    const Store store;
    write_calibration(store.path(), sample(), here);
    for (const auto& [key, value] : here) {
        auto other = here;
        other[key] = "something else";
        const auto stored = store.read(other);
        EXPECT_FALSE(stored.calibration);
        EXPECT_THAT(stored.why, HasSubstr(key));              // what differs,
        EXPECT_THAT(stored.why, HasSubstr(value));            // what it was
        EXPECT_THAT(stored.why, HasSubstr("something else")); // and what it is
        EXPECT_TRUE(stored.replaceable);
    }
    auto more = here;
    more["microcode"] = "0x1";
    EXPECT_THAT(store.read(more).why, HasSubstr("microcode"));
}

TEST(CalibrationStore, a_doubtful_one_is_not_used_but_may_be_replaced) {
    const Store store;
    auto doubtful = sample();
    doubtful.doubtful = true;
    write_calibration(store.path(), doubtful, here);
    const auto stored = store.read();
    EXPECT_FALSE(stored.calibration);
    EXPECT_THAT(stored.why, HasSubstr("contradicts"));
    EXPECT_TRUE(stored.replaceable);
}

TEST(CalibrationStore, a_file_of_something_else_is_never_replaced) {
    const Store store;
    write_calibration(store.path(), sample(), here);
    const auto whole = store.text();
    const auto half = whole.substr(0, whole.size() / 2);
    for (const auto& text :
         {std::string(), std::string("hello"), std::string("[1, 2]"), std::string("{}"),
          std::string("null"), std::string(R"({"kind": "cyclesoak report", "schema": 1})"), half}) {
        store.write_text(text);
        const auto stored = store.read();
        EXPECT_FALSE(stored.calibration) << text;
        EXPECT_THAT(stored.why, testing::Not(IsEmpty())) << text;
        EXPECT_FALSE(stored.replaceable) << text;
    }
}

TEST(CalibrationStore, a_later_schema_is_named_and_never_replaced) {
    const Store store;
    write_calibration(store.path(), sample(), here);
    auto text = store.text();
    const auto at = text.find("\"schema\": 1");
    ASSERT_NE(at, text.npos);
    store.write_text(text.replace(at, 11, "\"schema\": 7"));
    const auto stored = store.read();
    EXPECT_FALSE(stored.calibration);
    EXPECT_THAT(stored.why, HasSubstr("7"));
    EXPECT_FALSE(stored.replaceable);
}

TEST(CalibrationStore, an_unreadable_path_is_refused) {
    const Store store;
    write_calibration(store.path(), sample(), here);
    const auto stored = read_calibration(store.path().parent_path(), here); // a folder
    EXPECT_FALSE(stored.calibration);
    EXPECT_FALSE(stored.replaceable);
}

TEST(CalibrationStore, a_folder_that_cannot_be_made_throws) {
    const Store store;
    store.write("state", "a file");
    EXPECT_THROW(write_calibration(store.path(), sample(), here), std::system_error);
}

TEST(Fingerprint, tells_machine_kernel_and_settings) {
    const RecordedRoot root;
    root.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast CPU 3000\nmicrocode\t: 0x21\n\n"
                               "processor\t: 1\nmodel name\t: Other\n");
    root.write("proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
    root.write("sys/devices/system/cpu/smt/control", "on\n");
    root.write("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n");
    const auto read = [&] {
        return read_fingerprint(root.root(), {2, 3}, WorkingSetChoice::parse("l2"));
    };
    const auto before = read();
    for (const char* value :
         {"Fast CPU 3000", "0x21", "6.1.0-13-amd64", "2-3", "on", "performance", "l2"})
        EXPECT_THAT(before, testing::Contains(testing::Pair(testing::_, value)));
    root.write("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "powersave\n");
    EXPECT_NE(read(), before);
    EXPECT_NE(read_fingerprint(root.root(), {2}, WorkingSetChoice::parse("l2")), read());
    EXPECT_NE(read_fingerprint(root.root(), {2, 3}, WorkingSetChoice::parse("l3")), read());
}

TEST(Fingerprint, of_a_machine_that_says_nothing) {
    EXPECT_EQ(read_fingerprint(RecordedRoot().root(), {}, {}),
              read_fingerprint(RecordedRoot().root(), {}, {}));
}

TEST(CalibrationPath, follows_xdg) {
    const char* before = std::getenv("XDG_STATE_HOME");
    const std::string kept = before ? before : "";
    setenv("XDG_STATE_HOME", "/somewhere/state", 1);
    EXPECT_EQ(calibration_path(), "/somewhere/state/cyclesoak/calibration.json");
    unsetenv("XDG_STATE_HOME");
    EXPECT_THAT(calibration_path().string(), testing::EndsWith("/cyclesoak/calibration.json"));
    EXPECT_TRUE(calibration_path().is_absolute());
    if (before) setenv("XDG_STATE_HOME", kept.c_str(), 1);
}

} // namespace
} // namespace soak
