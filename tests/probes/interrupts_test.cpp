#include "base/error.h"
#include "probes/interrupts.h"

#include <gmock/gmock.h>

namespace probes {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(Interrupts, ByDescriptionWithAnOfflineCpu) {
    const auto counts = parse_interrupts("           CPU0       CPU2       \n"
                                         " 24:          1          0  IO-APIC   5-edge  ACPI:Ged\n"
                                         "RES:       5367       2236   Rescheduling interrupts\n"
                                         "CAL:      44570      17305   Function call interrupts\n"
                                         "TLB:       1197       1077   TLB shootdowns\n"
                                         "ERR:          0\n");
    EXPECT_THAT(counts.reschedule, UnorderedElementsAre(Pair(0, 5367U), Pair(2, 2236U)));
    EXPECT_THAT(counts.function_call, UnorderedElementsAre(Pair(0, 44570U), Pair(2, 17305U)));
    EXPECT_THAT(counts.tlb_shootdown, UnorderedElementsAre(Pair(0, 1197U), Pair(2, 1077U)));
}

TEST(Interrupts, Aarch64HasOtherShortNames) {
    const auto counts =
        parse_interrupts("           CPU0       CPU1       \n"
                         " 11:      12331       8123     GICv3  30 Level\n"
                         "IPI0:       120         31       Rescheduling interrupts\n"
                         "IPI1:      9120       4331       Function call interrupts\n"
                         "IPI2:         0          0       CPU stop interrupts\n");
    EXPECT_THAT(counts.reschedule, UnorderedElementsAre(Pair(0, 120U), Pair(1, 31U)));
    EXPECT_THAT(counts.function_call, UnorderedElementsAre(Pair(0, 9120U), Pair(1, 4331U)));
    EXPECT_THAT(counts.tlb_shootdown, IsEmpty());
}

TEST(Interrupts, BrokenLineIsNamed) {
    try {
        parse_interrupts("  CPU0 CPU1\nRES: 1 Rescheduling interrupts\n");
        FAIL() << "was accepted";
    } catch (const base::ParseError& error) {
        EXPECT_STREQ(error.what(), "/proc/interrupts:2: no count for CPU 1");
    }
    EXPECT_THROW(parse_interrupts("RES: 1 Rescheduling interrupts\n"), base::ParseError);
}

} // namespace
} // namespace probes
