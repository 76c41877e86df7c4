#include "loads/team.h"

#include "base/cpu_list.h"
#include "base/signals.h"
#include "loads/socket.h"

#include <algorithm>
#include <sys/eventfd.h>
#include <sys/prctl.h>

namespace loads {
namespace {

using std::chrono::milliseconds;

} // namespace

Tally& Tally::operator+=(const Tally& other) {
    sent += other.sent;
    bytes += other.bytes;
    packets += other.packets;
    transactions += other.transactions;
    resent += other.resent;
    bursts += other.bursts;
    zerocopy_sends += other.zerocopy_sends;
    zerocopy_copied += other.zerocopy_copied;
    kernel_polled |= other.kernel_polled;
    latency += other.latency;
    cpu += other.cpu;
    ended = std::max(ended, other.ended);
    return *this;
}

bool Stop::sleep_until(Nanoseconds deadline) const {
    while (!stopped()) {
        const auto piece = std::min(deadline, base::monotonic_now() + milliseconds(50));
        base::sleep_until(piece);
        if (piece == deadline) return !stopped();
    }
    return false;
}

Team::Team(std::optional<int> cpu)
    : cpu_(cpu), ended_(base::make_descriptor(eventfd(0, EFD_CLOEXEC), "eventfd")) {}

Team::~Team() { join(Nanoseconds::zero()); }

void Team::start(Descriptor socket, Work work) {
    auto& worker = workers_.emplace_back();
    worker.socket = std::move(socket);
    worker.thread = std::thread([this, &worker, does = std::move(work)] { run(worker, does); });
}

void Team::run(Worker& worker, const Work& work) {
    base::block_signals();
    // Wake up when asked to, not up to 50 us later.
    prctl(PR_SET_TIMERSLACK, 1UL);
    try {
        if (cpu_) base::use_cpus({*cpu_});
        const auto before = base::thread_cpu_time();
        work(worker.socket.get(), stop_, worker.tally);
        worker.tally.cpu = base::thread_cpu_time() - before;
        worker.tally.ended = base::monotonic_now();
    } catch (...) {
        worker.failure = std::current_exception();
    }
    worker.done = true;
    eventfd_write(ended_.get(), 1);
}

void Team::join(Nanoseconds patience) {
    stop_.now();
    const auto deadline = base::monotonic_now() + patience;
    for (auto& worker : workers_) {
        while (!worker.done && base::monotonic_now() < deadline)
            base::sleep_until(base::monotonic_now() + milliseconds(1));
        if (!worker.done) shutdown(worker.socket.get(), SHUT_RDWR);
        if (worker.thread.joinable()) worker.thread.join();
    }
}

void Team::rethrow_failure() const {
    for (const auto& worker : workers_)
        if (worker.done && worker.failure) std::rethrow_exception(worker.failure);
}

void Team::check_ended() {
    eventfd_t count = 0;
    eventfd_read(ended_.get(), &count);
    rethrow_failure();
}

Tally Team::finish() {
    join(answer_patience);
    rethrow_failure();
    Tally sum;
    for (const auto& worker : workers_)
        sum += worker.tally;
    return sum;
}

} // namespace loads
