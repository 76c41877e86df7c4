#include "base/text.h"
#include "exporters/watch.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace {

using namespace std::chrono_literals;

soak::CpuWindow window(int cpu, std::chrono::milliseconds tasks, std::chrono::milliseconds cache) {
    soak::CpuWindow made;
    made.cpu = cpu;
    made.elapsed = 1000ms;
    made.own = 10ms;
    made.causes.tasks = tasks;
    made.causes.cache = cache;
    made.stolen = tasks + cache;
    made.soaked = made.elapsed - made.own - made.stolen;
    return made;
}

const std::vector<soak::CpuWindow> windows{window(0, 250ms, 6ms), window(1, 0ms, -1ms),
                                           window(2, 0ms, -1ms), window(3, 2ms, 1ms)};

std::string written(void (*write)(std::ostream&, const std::vector<soak::CpuWindow>&)) {
    std::ostringstream out;
    write(out, windows);
    return out.str();
}

TEST(Watch, line_is_as_it_ever_was) {
    EXPECT_EQ(written(exporters::write_watch_line),
              "System load:  6.4% || Free:  74.4%(0) 100.1%(1) 100.1%(2)  99.7%(3)\n");
}

TEST(Watch, causes_follow_cpu_by_cpu) {
    const std::string text = written(exporters::write_watch_causes);
    EXPECT_THAT(text, testing::StartsWith("System load:  6.4% ||"));
    EXPECT_THAT(text, testing::HasSubstr("\n  cpu0   tasks  25.0  interrupts   0.0  core  0.0  "
                                         "cache  0.6  unexplained  0.0 | own  1.0\n"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("hypervisor")));
}

TEST(Watch, json_is_a_report_on_one_line) {
    std::ostringstream out;
    exporters::write_watch_json(out, windows, 1001ms);
    const std::string text = out.str();
    EXPECT_EQ(text.find('\n'), text.size() - 1);
    const auto json = nlohmann::json::parse(text);
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["seconds"], 1.001);
    EXPECT_EQ(json["cpus"].size(), 4u);
    EXPECT_EQ(json["cpus"][0]["causes"]["tasks"], 0.25);
    EXPECT_FALSE(json.contains("demand"));
}

TEST(Watch, csv_has_a_row_for_each_cpu) {
    std::ostringstream out;
    exporters::write_watch_csv(out, windows, 7);
    EXPECT_THAT(out.str(), testing::StartsWith("7,cpu,0,1.0,0.734,"));
    const std::string text = out.str();
    EXPECT_EQ(base::lines(text).size(), 4u);
}

TEST(Watch, of_no_window_is_no_failure) {
    std::ostringstream out;
    exporters::write_watch_line(out, {});
    exporters::write_watch_line(out, {soak::CpuWindow{}});
    EXPECT_THAT(out.str(), testing::HasSubstr("0.0%"));
}

} // namespace
