#include "base/error.h"
#include "probes/benchmark_results.h"
#include "tests/probes/recorded_output.h"

#include <gmock/gmock.h>

namespace probes {
namespace {

using testing::DoubleEq;
using testing::Pair;
using testing::UnorderedElementsAre;

using Words = std::vector<std::string>;

constexpr auto rr =
    R"({"schema":1,"kind":"rr","seconds":10.0,"transactions":300000,"bytes":600000,)"
    R"("cpu_seconds":{"client":4.0,"server":2.5},"resent":0})";

TEST(Results, ParserIsChosenByTheProgram) {
    const auto text = read_recorded_output("iperf3-tcp.json");
    for (const auto& command :
         std::vector<Words>{{"iperf3", "-c", "127.0.0.1", "-J"},
                            {"/usr/bin/iperf3", "-J"},
                            {"env", "LC_ALL=C", "iperf3", "-J"},
                            {"sudo", "-n", "ip", "netns", "exec", "a", "/opt/bin/iperf3", "-J"},
                            {"taskset", "-c", "0", "nice", "-n", "5", "iperf3"},
                            {"chrt", "-f", "10", "timeout", "30", "iperf3"}}) {
        const auto results = parse_results(command, text);
        ASSERT_TRUE(results) << command[0];
        EXPECT_EQ(results->work.source, "iperf3");
    }
}

TEST(Results, UnknownToolIsNobodys) {
    const auto text = read_recorded_output("iperf3-tcp.json");
    EXPECT_FALSE(parse_results({"scp", "a", "b:iperf3"}, text));
    EXPECT_FALSE(parse_results({"cp", "iperf3", "/tmp"}, text)) << "an argument, not the program";
    EXPECT_FALSE(parse_results({"sh", "-c", "iperf3 -J"}, text));
    EXPECT_FALSE(parse_results({"sudo", "true"}, text));
    EXPECT_FALSE(parse_results({}, text));
}

TEST(Results, ParserByName) {
    const auto text = read_recorded_output("iperf3-tcp.json");
    EXPECT_TRUE(parse_results({"./my-test.sh"}, text, "iperf3"));
    EXPECT_THROW(parse_results({"iperf3"}, text, "wget"), base::UsageError);
    EXPECT_THROW(parse_results({"iperf3", "-J"}, text, "cyclesoak"), base::ParseError);
}

TEST(Results, OurOwnLoad) {
    const auto results = parse_results({"./cyclesoak", "load", "rr", "--format", "json"}, rr);
    ASSERT_TRUE(results);
    EXPECT_EQ(results->work.source, "cyclesoak load");
    EXPECT_EQ(results->work.seconds, 10);
    EXPECT_EQ(results->work.transactions, 300000);
    EXPECT_EQ(results->work.bytes, 600000);
    EXPECT_EQ(results->work.packets, std::nullopt);
    EXPECT_TRUE(results->work.complete);
    EXPECT_THAT(results->cpu_ratios, UnorderedElementsAre(Pair("client", DoubleEq(0.4)),
                                                          Pair("server", DoubleEq(0.25))));
}

TEST(Results, OurOwnLoadOfAnotherKindOfOutput) {
    const auto failure = [](const char* text) {
        EXPECT_THROW(parse_results({"cyclesoak", "load"}, text), base::ParseError) << text;
    };
    failure("30000 transactions per second\n");
    failure(R"({"schema":2,"kind":"rr","seconds":1.0})");
    failure(R"({"schema":1,"seconds":1.0})");
    failure(R"({"schema":1,"kind":"rr"})");
    failure(R"({"schema":1,"kind":"rr","seconds":1.0,"bytes":"many"})");
}

} // namespace
} // namespace probes
