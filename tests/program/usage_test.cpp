#include "tests/program/program.h"

#include <gmock/gmock.h>

namespace {

using program::run;
using testing::AllOf;
using testing::HasSubstr;

struct Bad {
    std::vector<std::string> arguments;
    std::string named;
};

void PrintTo(const Bad& bad, std::ostream* out) {
    for (const auto& argument : bad.arguments)
        *out << argument << ' ';
}

class Usage : public testing::TestWithParam<Bad> {};

TEST_P(Usage, errors_name_the_option_and_start_nothing) {
    const auto ended = run(GetParam().arguments);
    EXPECT_EQ(ended.exit_status, 2) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(GetParam().named));
    EXPECT_EQ(ended.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    , Usage,
    testing::Values(
        Bad{{"run", "--phase", "1ms"}, "--phase"}, Bad{{"run", "--phase", "soon"}, "--phase"},
        Bad{{"run", "--baseline", "-1"}, "--baseline"}, Bad{{"run", "--timeout", "0"}, "--timeout"},
        Bad{{"run", "--continuous", "--free"}, "--continuous"},
        Bad{{"run", "--cpus", "0-"}, "--cpus"}, Bad{{"run", "--cpus", "60000"}, "--cpus"},
        Bad{{"run", "--working-set", "huge"}, "--working-set"},
        Bad{{"run", "--yield", "politely"}, "--yield"}, Bad{{"run", "--work", "much"}, "--work"},
        Bad{{"run", "--parser", "tea-leaves", "--", "true"}, "--parser"},
        Bad{{"run", "--format", "xml"}, "--format"}, Bad{{"run", "--repeat", "0"}, "--repeat"},
        Bad{{"run", "--pushgateway", "ftp://host"}, "--pushgateway"},
        Bad{{"run", "--pushgateway", "http://host", "--push-job", "a/b"}, "--push-job"},
        Bad{{"run", "--push-job", "a"}, "--pushgateway"},
        Bad{{"run", "--no-such-option"},
            "'--no-such-option' was not expected here; cyclesoak run "},
        Bad{{"run", "-d", "5", "--", "true"}, "'-d' was not expected here"},
        Bad{{"load", "rr", "--size", "5"}, "'--size' was not expected here; cyclesoak load rr "},
        Bad{{"watch", "-p", "1ms"}, "--period"}, Bad{{"watch", "-n", "-1"}, "--count"},
        Bad{{"doctor", "--format", "csv"}, "--format"},
        Bad{{"doctor", "--cpus", "60000"}, "--cpus"}, Bad{{"doctor", "--cpus", "x"}, "--cpus"},
        Bad{{"doctor", "--working-set", "huge"}, "--working-set"},
        Bad{{"calibrate", "--cpus", "x"}, "--cpus"}, Bad{{"no-such-command"}, "no-such-command"}));

TEST(Help, has_an_example_everywhere) {
    const std::vector<std::vector<std::string>> commands{
        {"--help"},         {"run", "--help"},        {"watch", "--help"}, {"calibrate", "--help"},
        {"load", "--help"}, {"load", "rr", "--help"}, {"doctor", "--help"}};
    for (const auto& command : commands) {
        const auto ended = run(command);
        EXPECT_EQ(ended.exit_status, 0);
        EXPECT_THAT(ended.out, HasSubstr("Example")) << command.front();
    }
}

TEST(Watch, prints_what_the_ancestor_printed) {
    const auto ended = run({"-p", "0.1", "-n", "2"});
    EXPECT_EQ(ended.exit_status, 0) << ended.err;
    EXPECT_THAT(ended.out, testing::ContainsRegex("System load: +-?[0-9.]+% \\|\\| Free: +"));
}

TEST(Watch, takes_the_ancestors_flags) {
    const auto ended = run({"-B", "-1", "-N", "2", "-p", "0.1"});
    EXPECT_EQ(ended.exit_status, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("tasks"));
    EXPECT_THAT(ended.err, HasSubstr("-N is not needed"));
}

TEST(Watch, writes_a_report_a_line) {
    const auto ended = run({"watch", "-p", "100ms", "-n", "2", "--format", "json"});
    ASSERT_EQ(ended.exit_status, 0) << ended.err;
    const auto line = ended.out.substr(0, ended.out.find('\n'));
    EXPECT_TRUE(nlohmann::json::parse(line).contains("cpus"));
}

} // namespace
