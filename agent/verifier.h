#pragma once

#include "agent/passwords.h"

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace agent {

enum class Verdict {
    right,
    wrong,
    busy, ///< too many others are waiting to be verified
};

/// Verifies passwords in a thread of its own, and each only once: bcrypt is meant to be slow. What
/// it remembers are digests under a key that nobody else has, not passwords; a new set of
/// passwords makes it forget.
class Verifier {
  public:
    using Done = std::function<void(Verdict)>;

    explicit Verifier(Passwords passwords);
    ~Verifier() { stop(); }
    Verifier(const Verifier&) = delete;
    Verifier& operator=(const Verifier&) = delete;

    /// Between the two there is a thread. Whoever waits at the end is told that it was busy.
    void start();
    void stop();

    /// The verdict if there is one at once; else `done` is called with it in the verifying thread.
    std::optional<Verdict> verify(const std::string& name_and_password, Done done);

    /// Nothing happens if they are the same.
    void replace(Passwords passwords);

    /// How many passwords were really verified.
    size_t verified_count() const;

  private:
    using Digest = std::array<unsigned char, 32>;
    struct Waiting {
        Digest digest;
        std::string name_and_password;
        std::vector<Done> done; ///< of all who came with the same
    };

    Digest digest_of(const std::string& name_and_password) const;
    void run();
    Verdict verify_first(std::unique_lock<std::mutex>& lock);
    void remember(const Digest& digest, Verdict verdict);

    std::array<unsigned char, 32> key_;
    mutable std::mutex mutex_; ///< of all below
    std::condition_variable changed_;
    Passwords passwords_;
    size_t generation_ = 0; ///< of the passwords
    std::map<Digest, Verdict> verdicts_;
    std::deque<Digest> wrong_;    ///< those among them, the oldest first
    std::deque<Waiting> waiting_; ///< the first is being verified
    size_t verified_count_ = 0;
    bool running_ = false;
    std::thread thread_;
};

} // namespace agent
