#include "soak/switch_flag.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/rseq.h>

// The section's code, which nothing calls. The kernel wants its abort handler to follow the
// signature with which the C library registered rseq.
asm(R"(
    .pushsection .text.cyclesoak_rseq, "ax"
    .globl cyclesoak_never_start, cyclesoak_never_abort
    .hidden cyclesoak_never_start, cyclesoak_never_abort
cyclesoak_never_start:
    nop
    .balign 4
)"
#if defined(__aarch64__)
    "    .inst 0xd428bc00\n"
#else
    "    .long 0x53053053\n"
#endif
    R"(
cyclesoak_never_abort:
    nop
    .popsection
)");

extern "C" const char cyclesoak_never_start[], cyclesoak_never_abort[];

namespace soak {
namespace {

uint64_t never_section() {
    static const rseq_cs section{
        .version = 0,
        .flags = 0,
        .start_ip = reinterpret_cast<uintptr_t>(cyclesoak_never_start),
        .post_commit_offset = 1,
        .abort_ip = reinterpret_cast<uintptr_t>(cyclesoak_never_abort),
    };
    return reinterpret_cast<uintptr_t>(&section);
}

int64_t read_switches() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw + usage.ru_nvcsw;
}

} // namespace

SwitchFlag::SwitchFlag() {
    if (__rseq_size > 0) {
        auto* area = reinterpret_cast<struct rseq*>(static_cast<char*>(__builtin_thread_pointer()) +
                                                    __rseq_offset);
        armed_at_ = reinterpret_cast<volatile uint64_t*>(&area->rseq_cs);
        arm();
        // Being switched out must clear it; a kernel that does not is of no use here.
        const int64_t before = read_switches();
        for (int i = 0; i < 1000 && read_switches() == before; ++i) {
            timespec shortest{.tv_sec = 0, .tv_nsec = 1000};
            nanosleep(&shortest, nullptr);
        }
        if (*armed_at_ != 0)
            armed_at_ = nullptr;
        else
            arm();
    }
    switches_ = read_switches();
}

void SwitchFlag::arm() { *armed_at_ = never_section(); }

bool SwitchFlag::take_from_usage() {
    const int64_t switches = read_switches();
    const bool changed = switches != switches_;
    switches_ = switches;
    return changed;
}

int SwitchFlag::cpu() const { return sched_getcpu(); }

} // namespace soak
