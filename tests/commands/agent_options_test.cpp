#include "base/error.h"
#include "commands/agent_options.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

namespace commands {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// A configuration file, and what a command line beside it makes of the two.
class ConfiguredAgent : public testing::Test {
  protected:
    void write(const std::string& text) const { folder_.write("agent.conf", text); }
    AgentOptions read(std::vector<std::string> words = {}) const {
        words.insert(words.end(), {"--config", file_});
        return read_agent_options(words);
    }
    /// What is wrong with a file of this text; empty: nothing.
    std::string complaint(const std::string& text,
                          const std::vector<std::string>& words = {}) const {
        write(text);
        try {
            read(words);
            return "";
        } catch (const base::UsageError& error) {
            return error.what();
        }
    }

    const RecordedRoot folder_;
    const std::string file_ = folder_.root().at("agent.conf");
};

std::string complaint_about(const std::vector<std::string>& words) {
    try {
        read_agent_options(words);
        return "";
    } catch (const base::UsageError& error) {
        return error.what();
    }
}

TEST(AgentOptions, defaults) {
    const auto options = read_agent_options({});
    EXPECT_EQ(parse_duty(options.duty), 0.01);
    EXPECT_EQ(parse_window(options.window), 20ms);
    EXPECT_THAT(options.listen, ElementsAre("127.0.0.1:12001"));
    EXPECT_EQ(options.per_cpu, std::nullopt);
    EXPECT_FALSE(options.tls_cert || options.tls_key || options.users || options.textfile);
    EXPECT_EQ(options.instrument.working_set, "l2");
    EXPECT_EQ(options.config, "");
    EXPECT_FALSE(options.quiet);
}

TEST(AgentOptions, of_a_command_line) {
    const auto options = read_agent_options(
        {"--cpus", "0-2,5", "--duty", "100%", "--listen", ":1", "--listen", "[::1]:2", "--per-cpu",
         "no", "--tls-cert", "a.pem", "--tls-key", "b.pem", "--quiet", "--window", "50ms"});
    EXPECT_EQ(options.instrument.cpus, "0-2,5");
    EXPECT_EQ(parse_duty(options.duty), 1);
    EXPECT_THAT(options.listen, ElementsAre(":1", "[::1]:2"));
    EXPECT_EQ(options.per_cpu, false);
    EXPECT_EQ(options.tls_cert, "a.pem");
    EXPECT_TRUE(options.quiet);
    EXPECT_EQ(parse_window(options.window), 50ms);
    EXPECT_EQ(read_agent_options({"--duty", "1%", "--duty", "2%"}).duty, "2%");
}

TEST(AgentOptions, complaints_name_the_option_and_what_it_accepts) {
    EXPECT_EQ(complaint_about({"--duty", "70%"}), "--duty: '70%' is not 0.1% to 50%, or 100%");
    EXPECT_THAT(complaint_about({"--window", "2s"}), "--window: '2s' is not 10ms to 1s");
    EXPECT_THAT(complaint_about({"--cpus", "first"}), HasSubstr("--cpus: "));
    EXPECT_THAT(complaint_about({"--yield", "never"}), HasSubstr("--yield: 'never' is not auto"));
    EXPECT_THAT(complaint_about({"--working-set", "l9"}), HasSubstr("--working-set: 'l9'"));
    EXPECT_THAT(complaint_about({"--per-cpu", "maybe"}),
                AllOf(HasSubstr("--per-cpu"), HasSubstr("maybe"), HasSubstr("yes")));
    EXPECT_THAT(complaint_about({"--tls-key", "a.pem"}), HasSubstr("--tls-cert"));
    EXPECT_THAT(complaint_about({"--tls-cert", "a.pem"}), HasSubstr("--tls-key"));
    EXPECT_THAT(complaint_about({"--unheard-of"}), HasSubstr("--unheard-of"));
    EXPECT_THAT(complaint_about({"--duty"}), HasSubstr("--duty"));
}

TEST_F(ConfiguredAgent, takes_what_the_file_says) {
    write("# how we want it\n"
          "duty = 5%\n"
          "window=50ms  # longer\n"
          "cpus = 0-2,5\n"
          "listen = [\"127.0.0.1:9000\", \"[::1]:9000\"]\n"
          "\n"
          "per-cpu = false\n"
          "textfile = \"/a folder/b.prom\"\n"
          "tls-cert = /a.pem\n"
          "tls-key = '/b.pem'\n"
          "quiet = true\n");
    const auto options = read();
    EXPECT_EQ(options.duty, "5%");
    EXPECT_EQ(options.window, "50ms");
    EXPECT_EQ(options.instrument.cpus, "0-2,5");
    EXPECT_THAT(options.listen, ElementsAre("127.0.0.1:9000", "[::1]:9000"));
    EXPECT_EQ(options.per_cpu, false);
    EXPECT_EQ(options.textfile, "/a folder/b.prom");
    EXPECT_EQ(options.tls_cert, "/a.pem");
    EXPECT_EQ(options.tls_key, "/b.pem");
    EXPECT_TRUE(options.quiet);
    EXPECT_EQ(options.config, file_);
}

TEST_F(ConfiguredAgent, takes_other_ways_to_write_it) {
    write("cpus = \"0,1\"\nlisten = \"[::1]:9000\"\nquiet\nper-cpu = yes\n");
    auto options = read();
    EXPECT_EQ(options.instrument.cpus, "0,1");
    EXPECT_THAT(options.listen, ElementsAre("[::1]:9000"));
    EXPECT_TRUE(options.quiet);
    EXPECT_EQ(options.per_cpu, true);
    write("listen = :1\nlisten = :2\nquiet = false\n");
    options = read();
    EXPECT_THAT(options.listen, ElementsAre(":1", ":2"));
    EXPECT_FALSE(options.quiet);
    write("");
    EXPECT_EQ(read().duty, "1%");
}

TEST_F(ConfiguredAgent, the_command_line_wins) {
    write("duty = 5%\nwindow = 50ms\nlisten = :1\nlisten = :2\ntls-key = b.pem\n");
    const auto options = read({"--duty", "3%", "--listen", ":3", "--tls-cert", "a.pem"});
    EXPECT_EQ(options.duty, "3%");
    EXPECT_EQ(options.window, "50ms");
    EXPECT_THAT(options.listen, ElementsAre(":3"));
    EXPECT_EQ(options.tls_key, "b.pem");
}

TEST_F(ConfiguredAgent, complaints_name_the_file_too) {
    const auto about = [&](const std::string& what) { return file_ + ": " + what; };
    EXPECT_EQ(complaint("duti = 5%\n"), about("'duti' is no option for it"));
    EXPECT_EQ(complaint("duty = 70%\n"), about("--duty: '70%' is not 0.1% to 50%, or 100%"));
    EXPECT_EQ(complaint("duty =\n"), about("--duty: '' is not a share like 25% or 0.25"));
    EXPECT_EQ(complaint("duty\n"), about("--duty: 'true' is not a share like 25% or 0.25"));
    EXPECT_THAT(complaint("per-cpu = 3\n"), HasSubstr(about("--per-cpu: 3 not in")));
    EXPECT_THAT(complaint("quiet = maybe\n"), AllOf(HasSubstr(file_), HasSubstr("--quiet")));
    EXPECT_EQ(complaint("config = other.conf\n"), about("'config' is no option for it"));
    EXPECT_EQ(complaint("help = true\n"), about("'help' is no option for it"));
    EXPECT_EQ(complaint("[agent]\nduty = 5%\n"), about("'agent': there are no sections in it"));
    EXPECT_EQ(complaint("agent.duty = 5%\n"), about("'agent': there are no sections in it"));
    EXPECT_EQ(complaint("\xff\xfe\x01\x02 = \n"), about("'\xff\xfe\x01\x02' is no option for it"));
    EXPECT_EQ(complaint("duty = 5%\n", {"--duty", "70%"}),
              "--duty: '70%' is not 0.1% to 50%, or 100%")
        << "not the file's fault";
}

TEST_F(ConfiguredAgent, one_value_is_one_value) {
    EXPECT_THAT(complaint("textfile = /a folder/b.prom\n"),
                HasSubstr("--textfile takes one value"));
    EXPECT_THAT(complaint("duty = 1%\nduty = 2%\n"), HasSubstr("--duty takes one value"));
    EXPECT_THAT(complaint("duty = 1%\nquiet = true\nduty = 2%\n"),
                HasSubstr("--duty is there twice"));
    EXPECT_THAT(complaint("listen = :1\nduty = 1%\nlisten = :2\n"),
                HasSubstr("--listen is there twice"));
}

TEST_F(ConfiguredAgent, is_read_anew) {
    write("duty = 5%\nlisten = :1\n");
    EXPECT_EQ(read().duty, "5%");
    write("duty = 6%\n");
    const auto again = read();
    EXPECT_EQ(again.duty, "6%");
    EXPECT_THAT(again.listen, ElementsAre("127.0.0.1:12001"));
}

TEST_F(ConfiguredAgent, a_file_that_is_no_more) {
    write("duty = 5%\n");
    read();
    folder_.remove("agent.conf");
    EXPECT_THROW(read(), base::UsageError);
    EXPECT_EQ(complaint_about({"--config", file_}), file_ + ": it is not there or may not be read");
    EXPECT_THAT(complaint_about({"--config", "/"}), HasSubstr("/: read /: Is a directory"));
}

TEST(Duty, percent_or_ratio) {
    EXPECT_EQ(parse_duty("0.1%"), 0.001);
    EXPECT_EQ(parse_duty("0.25"), 0.25);
    EXPECT_EQ(parse_duty("50%"), 0.5);
    EXPECT_EQ(parse_duty("100%"), 1);
    for (const char* bad : {"0", "0.05%", "51%", "1", "1.0", "-1%", "101%", "", "%", "much"})
        EXPECT_THROW(parse_duty(bad), base::UsageError) << bad;
}

TEST(Window, a_duration_within_limits) {
    EXPECT_EQ(parse_window("10ms"), 10ms);
    EXPECT_EQ(parse_window("1"), 1s);
    for (const char* bad : {"9ms", "1001ms", "0", "-20ms", "soon", ""})
        EXPECT_THROW(parse_window(bad), base::UsageError) << bad;
}

} // namespace
} // namespace commands
