#pragma once

#include "base/descriptor.h"
#include "base/loop.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <sys/types.h>

namespace agent {

/// Lends our CPUs to other processes of this machine, every user's: as long as one of them keeps a
/// connection open, we pause. The socket lies beside the lock file that CPUs are held by.
class Lender {
  public:
    static constexpr size_t most_borrowers = 8; ///< at once; more are turned away

    /// Listens, and removes the sockets that dead lenders left. The loop calls `pause` for the first
    /// borrower, who is answered when that returns: our locks have to be free by then. Where that
    /// cannot be, run another loop; borrowers have some seconds of patience. It calls `resume` when
    /// the last one has gone, however it ended. Its locks can still be there for a moment if it was
    /// killed, or be another's who came meanwhile and did not meet us: try again later. Throws
    /// std::system_error.
    Lender(const std::filesystem::path& lock, base::Loop& loop, std::function<void()> pause,
           std::function<void()> resume);
    ~Lender();
    Lender(const Lender&) = delete;
    Lender& operator=(const Lender&) = delete;

    bool paused() const { return !borrowers_.empty(); }

  private:
    void accept_borrower();
    void dismiss(int borrower);

    std::filesystem::path path_;
    base::Loop& loop_;
    std::function<void()> pause_, resume_;
    base::Descriptor listener_;
    std::map<int, base::Descriptor> borrowers_;
};

/// Where process `lender` listens.
std::filesystem::path lender_path(const std::filesystem::path& lock, pid_t lender);

/// While it lives, the lender pauses. To be given back after the locks, lest it meets them.
struct Loan {
    base::Descriptor connection;
};

/// Asks the process that holds a CPU to pause, and waits until it does. nullopt: it lends nothing, not
/// to us or not now, or it gave no answer within `patience`.
std::optional<Loan> borrow(const std::filesystem::path& lock, pid_t lender,
                           base::Nanoseconds patience = std::chrono::seconds(5));

} // namespace agent
