#include "soak/soaker_process.h"

#include "base/error.h"
#include "soak/soaker.h"

#include <fmt/format.h>

#include <csignal>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace soak {
namespace {

template <typename Shared>
std::span<Shared> map_shared(size_t count) {
    if (count == 0) return {};
    void* memory = mmap(nullptr, count * sizeof(Shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw base::system_error("map the soakers' counters");
    auto* shared = static_cast<Shared*>(memory);
    for (size_t i = 0; i < count; ++i)
        new (shared + i) Shared;
    return {shared, count};
}

/// A process that outlives nothing, holds nothing of its parent's and hears no terminal.
void detach(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    prctl(PR_SET_NAME, "cyclesoak-soak");
    setsid();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd)
        dup2(null, fd);
    syscall(SYS_close_range, 3u, ~0u, 0u);
}

/// Lowest priority by both measures: the policy yields, the nice value makes dashboards count the
/// time as nice.
void lower_priority() {
    setpriority(PRIO_PROCESS, 0, 19);
    const sched_param none{};
    sched_setscheduler(0, SCHED_IDLE, &none);
}

void soak_until_killed(const Topology& topology, const std::vector<SoakerPlan>& plans,
                       std::span<Slot> slots, std::span<RecordRing> rings) {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < plans.size(); ++i)
        threads.emplace_back([&, i] {
            const auto& plan = plans[i];
            SoakerPlace place{.cpu = plan.cpu,
                              .evicting_bytes = plan.evicting_bytes,
                              .counter = plan.counter,
                              .bind = [&] { topology.bind_thread(plan.cpu); },
                              .ring = rings.empty() ? nullptr : &rings[i]};
            lower_priority();
            prctl(PR_SET_NAME, fmt::format("soak/{}", plan.cpu).c_str());
            place.bind();
            place.memory = topology.allocate_near(plan.cpu, plan.working_set_bytes);
            run_soaker(slots[i], place);
        });
    for (auto& thread : threads)
        thread.join();
}

} // namespace

SoakerProcess::SoakerProcess(const Topology& topology, const std::vector<SoakerPlan>& plans,
                             bool record)
    : slots_(map_shared<Slot>(plans.size())),
      rings_(map_shared<RecordRing>(record ? plans.size() : 0)) {
    const pid_t parent = getpid();
    auto detached = base::make_pipe();
    pid_ = fork();
    if (pid_ < 0) throw base::system_error("fork the soakers' process");
    if (pid_ == 0) {
        detach(parent);
        try {
            soak_until_killed(topology, plans, slots_, rings_);
        } catch (...) {
        }
        _exit(1);
    }
    // Until the child has closed its end it is still in our session.
    detached.write.close();
    char nothing;
    while (read(detached.read.get(), &nothing, 1) < 0 && errno == EINTR) {
    }
    ended_ =
        base::make_descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)), "pidfd_open");
}

SoakerProcess::~SoakerProcess() {
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    munmap(slots_.data(), slots_.size_bytes());
    if (!rings_.empty()) munmap(rings_.data(), rings_.size_bytes());
}

bool SoakerProcess::ended() const {
    pollfd polled{ended_.get(), POLLIN, 0};
    return poll(&polled, 1, 0) > 0;
}

} // namespace soak
