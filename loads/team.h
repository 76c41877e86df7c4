#pragma once

#include "base/descriptor.h"
#include "base/time.h"
#include "loads/histogram.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <thread>

namespace loads {

using base::Descriptor;
using base::Nanoseconds;

/// What the threads of one end counted.
struct Tally {
    uint64_t sent = 0;         ///< bytes (stream) or datagrams (udp)
    uint64_t bytes = 0;        ///< payload that arrived here
    uint64_t packets = 0;      ///< datagrams that arrived here
    uint64_t transactions = 0; ///< completed
    uint64_t resent = 0;       ///< requests whose response did not come
    uint64_t bursts = 0;
    uint64_t zerocopy_sends = 0, zerocopy_copied = 0;
    bool kernel_polled = false; ///< busy polling was the kernel's
    Histogram latency;
    Nanoseconds cpu{};   ///< user and system time of the threads
    Nanoseconds ended{}; ///< CLOCK_MONOTONIC when the last one was done

    Tally& operator+=(const Tally& other);
};

/// Tells threads that it is time to end.
class Stop {
  public:
    void now() { stopped_.store(true, std::memory_order_relaxed); }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
    /// Sleeps until CLOCK_MONOTONIC reads `deadline`; false if it was stopped meanwhile.
    bool sleep_until(Nanoseconds deadline) const;

  private:
    std::atomic<bool> stopped_ = false;
};

/// What a thread does with its socket (-1: has none) until it is stopped or its peer is done.
using Work = std::function<void(int fd, const Stop& stop, Tally& tally)>;

/// The threads of one end, all on one CPU or none in particular. No signal is delivered to them.
/// At the end of its life it cuts their sockets off and waits for them.
class Team {
  public:
    explicit Team(std::optional<int> cpu);
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team();

    void start(Descriptor socket, Work work);

    /// Readable once a thread ended, by itself or by an exception.
    int ended_fd() const { return ended_.get(); }
    /// Rethrows what it threw, if it did. ended_fd() is not readable until the next one ends.
    void check_ended();

    /// Stops all, waits, adds up. A thread that does not end in `answer_patience` finds its
    /// socket shut down. Rethrows what the first thread that failed threw.
    Tally finish();

  private:
    struct Worker {
        Descriptor socket;
        Tally tally;
        std::exception_ptr failure;
        std::atomic<bool> done = false;
        std::thread thread;
    };

    void run(Worker& worker, const Work& work);
    void rethrow_failure() const;
    void join(Nanoseconds patience);

    std::optional<int> cpu_;
    Descriptor ended_;
    Stop stop_;
    std::list<Worker> workers_; ///< stays where it is while threads use it
};

} // namespace loads
