#include "probes/host.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

namespace probes {
namespace {

using testing::IsEmpty;
using Host = std::map<std::string, std::string>;

TEST(Host, of_a_recorded_guest) {
    const RecordedRoot recorded("kvm-guest");
    EXPECT_EQ(read_host(recorded.root()), (Host{{"clock_source", "tsc"},
                                                {"cpu_model", "AMD EPYC"},
                                                {"hypervisor", "yes"},
                                                {"kernel", "6.18.0"},
                                                {"microcode", "0x1000065"},
                                                {"preemption", "PREEMPT_DYNAMIC"},
                                                {"smt", "notsupported"}}));
}

TEST(Host, a_guest_by_its_names) {
    const RecordedRoot recorded;
    recorded.write("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
    recorded.write("sys/class/dmi/id/product_name", "m7g.large\n");
    recorded.write("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "schedutil\n");
    EXPECT_EQ(read_host(recorded.root()), (Host{{"governor", "schedutil"},
                                                {"hypervisor", "yes"},
                                                {"product", "m7g.large"},
                                                {"vendor", "Amazon EC2"}}));
    recorded.write("sys/class/dmi/id/product_name", "m7g.metal\n");
    EXPECT_FALSE(read_host(recorded.root()).contains("hypervisor"));
}

TEST(Host, what_is_not_known_is_left_out) {
    EXPECT_THAT(read_host(RecordedRoot().root()), IsEmpty());
}

} // namespace
} // namespace probes
