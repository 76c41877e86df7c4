#include "base/cpu_list.h"
#include "base/files.h"
#include "tests/program/agent.h"

#include <unistd.h>

namespace {

using program::run;
using program::Running;

/// A network namespace of its own for as long as it lives.
class Namespace {
  public:
    Namespace()
        : sleeper_({"--net", "sh", "-c", "echo ready; exec sleep 600"}, {.program = "unshare"}) {
        ready_ = sleeper_.says("ready");
        if (ready_) command("ip link set lo up");
    }
    bool ready() const { return ready_; }
    std::string pid() const { return std::to_string(sleeper_.pid()); }
    /// By a shell inside.
    void command(const std::string& text) const {
        const auto ended = run({"-t", pid(), "-n", "sh", "-c", text}, {.program = "nsenter"});
        EXPECT_EQ(ended.exit_status, 0) << text << ": " << ended.err;
    }
    /// To start a program inside.
    program::Options inside() const { return {.before = {"nsenter", "-t", pid(), "-n"}}; }

  private:
    Running sleeper_;
    bool ready_ = false;
};

/// Only root may make namespaces everywhere.
bool may_make_namespaces() { return geteuid() == 0 && Namespace().ready(); }

TEST(Namespaces, the_agent_of_the_other_end_tells_its_part) {
    // Both ends are this machine: each has CPUs of its own, or one would pause for the other.
    const auto cpus = base::usable_cpus();
    if (!may_make_namespaces() || cpus.size() < 2) return;
    const auto first = std::to_string(cpus.front()), last = std::to_string(cpus.back());
    const Namespace here, there;
    here.command("ip link add veth type veth peer name veth netns " + there.pid());
    here.command("ip addr add 192.0.2.1/24 dev veth; ip link set veth up");
    there.command("ip addr add 192.0.2.2/24 dev veth; ip link set veth up");
    RunningAgent agent({"--listen", "192.0.2.2:12001", "--cpus", last}, there.inside());
    const auto ended =
        run(program::short_run({"--free", "--cpus", first, "--peer", "192.0.2.2:12001"}),
            here.inside());
    EXPECT_TRUE(program::measured(ended)) << ended.err;
    const auto peer = ended.json().at("peer");
    EXPECT_FALSE(peer.contains("absent")) << peer;
    EXPECT_GT(peer.at("busy_seconds"), 0);
    ASSERT_FALSE(peer.at("demand").empty()) << peer;
    EXPECT_EQ(peer.at("demand").at(0).at("method"), "idle-time");
}

TEST(Namespaces, devices_may_be_named_anyhow_and_come_and_go) {
    if (!may_make_namespaces()) return;
    const Namespace net;
    net.command(R"(ip link add 'a"b\é' type veth peer name other)");
    const auto folder = program::fresh_folder("devices");
    const auto file = (folder / "devices.prom").string();
    RunningAgent agent({"--listen", "127.0.0.1:12001"}, net.inside());
    // Reached from inside only.
    const auto metrics = [&] {
        net.command("curl -sS --max-time 10 -o '" + file + "' http://127.0.0.1:12001/metrics");
        return base::read_file(file).value_or("");
    };
    const std::string series = R"(cyclesoak_network_receive_packets_total{device="a\"b\\é"} )";
    const auto until = [&](bool there) {
        for (int tries = 0; tries < 240; ++tries) {
            if ((metrics().find(series) != std::string::npos) == there) return true;
            run({"0.25"}, {.program = "sleep"});
        }
        return false;
    };
    EXPECT_TRUE(until(true));
    net.command(R"(ip link del 'a"b\é')");
    EXPECT_TRUE(until(false));
    net.command(R"(ip link add 'a"b\é' type veth peer name other)");
    EXPECT_TRUE(until(true));
    std::filesystem::remove_all(folder);
}

} // namespace
