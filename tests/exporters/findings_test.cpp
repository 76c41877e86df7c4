#include "base/files.h"
#include "exporters/findings.h"
#include "tests/exporters/golden.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace {

using base::Severity;

const base::Findings some{
    {"lxcfs", Severity::bad, "lxcfs is mounted over /proc/stat.",
     "There is no idle-time demand. Measure on the host, or take the mount away.",
     "sudo umount /proc/stat"},
    {"kernel", Severity::warning, "The kernel is 6.8.0.",
     "A soaker can finish its slice before a thread that wakes up gets the CPU: 3000 µs late.",
     "echo NO_RUN_TO_PARITY | sudo tee /sys/kernel/debug/sched/features\nsudo reboot"},
    {"battery", Severity::warning, "This machine runs on its battery.", "The clock is held down."},
    {"clock", Severity::good, "The kernel's clock is tsc.",
     "Loads read it without a system call."}};

std::string table(const exporters::ScreenOptions& options) {
    std::ostringstream out;
    exporters::write_findings(out, some, options);
    return out.str();
}

TEST(Findings, AsATable) { expect_golden("findings.txt", table({})); }

TEST(Findings, FitsANarrowTerminalWithoutUtf8) {
    expect_golden("findings_narrow.txt", table({.width = 40, .unicode = false}));
}

TEST(Findings, HaveAColourBySeverity) {
    EXPECT_THAT(table({}), testing::Not(testing::HasSubstr("\x1b")));
    const auto coloured = table({.colour = true});
    EXPECT_THAT(coloured, testing::HasSubstr("\x1b[31mlxcfs\x1b[0m"));
    EXPECT_THAT(coloured, testing::HasSubstr("\x1b[33mbattery\x1b[0m"));
    EXPECT_THAT(coloured, testing::HasSubstr("\x1b[32mclock\x1b[0m"));
}

TEST(Findings, AsJson) {
    std::ostringstream out;
    exporters::write_findings_json(out, some, {{"taken_ratio", 0.01}, {"stolen_ratio", 0.02}});
    auto json = nlohmann::ordered_json::parse(out.str());
    EXPECT_EQ(json["cyclesoak"], CYCLESOAK_VERSION);
    json["cyclesoak"] = "VERSION";
    expect_golden("findings.json", json.dump(2) + "\n");
}

TEST(Findings, EveryKeyIsInTheDocumentation) {
    const auto doc = base::read_file(std::string(TEST_DATA) + "/../../docs/report.md");
    ASSERT_TRUE(doc);
    std::ostringstream out;
    exporters::write_findings_json(out, some, {});
    const auto json = nlohmann::json::parse(out.str());
    for (const auto& object : {json, json["findings"][0]})
        for (const auto& [key, value] : object.items())
            EXPECT_THAT(*doc, testing::HasSubstr("`" + key + "`"));
}

} // namespace
