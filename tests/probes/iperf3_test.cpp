#include "base/error.h"
#include "probes/iperf3.h"
#include "tests/probes/recorded_output.h"

#include <gmock/gmock.h>

namespace probes {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

base::Work parse_work(const std::string& name) {
    return parse_iperf3(read_recorded_output(name)).work;
}

std::string parse_failure(const std::string& text) {
    try {
        parse_iperf3(text);
    } catch (const base::ParseError& error) {
        return error.what();
    }
    return "was accepted";
}

TEST(Iperf3, Tcp) {
    const auto results = parse_iperf3(read_recorded_output("iperf3-tcp.json"));
    EXPECT_EQ(results.work.source, "iperf3");
    EXPECT_EQ(results.work.bytes, 3468165120);
    EXPECT_EQ(results.work.seconds, 2.00027);
    EXPECT_EQ(results.work.packets, std::nullopt);
    EXPECT_EQ(results.work.transactions, std::nullopt);
    EXPECT_TRUE(results.work.complete);
    EXPECT_THAT(results.cpu_ratios,
                UnorderedElementsAre(Pair("host", DoubleNear(0.991029, 1e-6)),
                                     Pair("remote", DoubleNear(0.362741, 1e-6))));
}

TEST(Iperf3, ReverseTakesWhatTheReceiverGot) {
    const auto work = parse_work("iperf3-tcp-reverse.json");
    EXPECT_EQ(work.bytes, 3138256790); // sent: 3139174400
    EXPECT_EQ(work.seconds, 1.000027);
}

TEST(Iperf3, BothDirectionsAreAdded) {
    EXPECT_EQ(parse_work("iperf3-tcp-bidir.json").bytes, 277086208. + 2657091478.);
    const auto udp = parse_work("iperf3-udp-bidir.json");
    EXPECT_EQ(udp.bytes, 114917568. + 121540096.);
    EXPECT_EQ(udp.packets, 84878. - 6809 + 84894 - 2326);
}

TEST(Iperf3, ParallelStreamsAreSummed) {
    EXPECT_EQ(parse_work("iperf3-tcp-parallel.json").bytes, 1651507200. + 1654128640.);
    EXPECT_EQ(parse_work("iperf3-udp-parallel-loss.json").packets, 228410. - 5082);
}

TEST(Iperf3, UdpCountsWhatArrived) {
    const auto all = parse_work("iperf3-udp.json");
    EXPECT_EQ(all.packets, 33955);
    EXPECT_EQ(all.bytes, 49981760);
    for (const auto* name : {"iperf3-udp-loss.json", "iperf3-udp-reverse-loss.json"}) {
        const auto some = parse_work(name);
        EXPECT_EQ(some.bytes, some.packets.value() * 1472) << name;
    }
    EXPECT_EQ(parse_work("iperf3-udp-loss.json").packets, 207113. - 35056);
}

TEST(Iperf3, OmittedStartMakesItIncomplete) {
    EXPECT_FALSE(parse_work("iperf3-tcp-omit.json").complete);
    EXPECT_FALSE(parse_work("iperf3-udp-omit.json").complete);
}

TEST(Iperf3, OtherLinesAroundTheObject) {
    const auto text = "warning: this system is slow\n" + read_recorded_output("iperf3-tcp.json");
    EXPECT_EQ(parse_iperf3(text + "bye\n").work.bytes, 3468165120);
}

TEST(Iperf3, ItsOwnErrorIsPassedOn) {
    EXPECT_EQ(parse_failure(read_recorded_output("iperf3-refused.json")),
              "iperf3: unable to connect to server: Connection refused");
}

TEST(Iperf3, WithoutJsonSaysWhatToAdd) {
    EXPECT_THAT(parse_failure(read_recorded_output("iperf3-tcp.txt")), HasSubstr("-J"));
    EXPECT_THAT(parse_failure(""), HasSubstr("-J"));
}

TEST(Iperf3, DamageIsNamedByLine) {
    const auto whole = read_recorded_output("iperf3-tcp.json");
    EXPECT_EQ(parse_failure("hello\n{\n\"start\": [,\n}\n"),
              "iperf3:3: its JSON breaks off or is damaged");
    EXPECT_THAT(parse_failure(whole.substr(0, whole.size() / 2)), HasSubstr("breaks off"));
    EXPECT_EQ(parse_failure("{\"end\": {}}"), "iperf3: its JSON has no /end/sum_received/bytes");
}

} // namespace
} // namespace probes
