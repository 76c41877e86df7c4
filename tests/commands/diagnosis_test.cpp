#include "base/files.h"
#include "tests/commands/good_machine.h"

namespace commands {
namespace {

TEST(Diagnosis, OfAGoodMachineSaysSoOfEveryTopic) {
    const auto findings = diagnose(good());
    expect_every_topic_once(findings);
    expect_readable(findings);
    for (const auto& finding : findings)
        EXPECT_EQ(finding.severity, Severity::good) << finding.id << ": " << finding.what;
}

TEST(Diagnosis, OfNothingHasEveryTopicToo) {
    Facts nothing;
    nothing.not_measured = "nobody knows";
    const auto findings = diagnose(nothing);
    expect_every_topic_once(findings);
    expect_readable(findings);
    for (const auto* id : {"taken", "wake-up", "idle-time", "time-accounting", "baseline",
                           "calibration", "kernel", "clock", "steal"})
        EXPECT_EQ(find(nothing, id).severity, Severity::note) << id;
    EXPECT_THAT(find(nothing, "soakers").what, HasSubstr("nobody knows"));
}

TEST(Diagnosis, TheWorstComesFirst) {
    auto facts = good();
    facts.platform.lxcfs = true;
    facts.platform.on_battery = true;
    const auto findings = diagnose(facts);
    EXPECT_EQ(findings[0].id, "lxcfs");
    EXPECT_EQ(findings[1].id, "battery");
}
TEST(Measured, HasAllThatWasAndNothingElse) {
    EXPECT_TRUE(name_measured({}).empty());
    const auto measured = name_measured(good().observed);
    EXPECT_EQ(measured.size(), 10u);
    EXPECT_DOUBLE_EQ(measured.at("wakeup_p99_seconds"), 40e-6);
    EXPECT_DOUBLE_EQ(measured.at("stolen_ratio"), 0.012);
}

TEST(Measured, EveryNameAndEveryTopicIsInTheDocumentation) {
    const auto doc = base::read_file(std::string(TEST_DATA) + "/../../docs/report.md");
    ASSERT_TRUE(doc);
    for (const auto& [name, value] : name_measured(good().observed))
        EXPECT_THAT(*doc, HasSubstr("`" + name + "`"));
    for (const auto& topic : topics)
        EXPECT_THAT(*doc, HasSubstr("`" + topic + "`"));
}

} // namespace
} // namespace commands
