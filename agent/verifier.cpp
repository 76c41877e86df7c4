#include "agent/verifier.h"

#include "base/signals.h"

#include <algorithm>
#include <gnutls/crypto.h>
#include <stdexcept>

namespace agent {
namespace {

constexpr size_t most_waiting = 16;
/// Right ones are as few as there are users.
constexpr size_t most_wrong = 256;

void expect(int result) {
    if (result < 0) throw std::runtime_error(gnutls_strerror(result));
}

} // namespace

Verifier::Verifier(Passwords passwords) : passwords_(std::move(passwords)) {
    expect(gnutls_rnd(GNUTLS_RND_KEY, key_.data(), key_.size()));
}

void Verifier::start() {
    stop();
    running_ = true;
    thread_ = std::thread([this] {
        base::block_signals();
        run();
    });
}

void Verifier::stop() {
    {
        const std::lock_guard lock(mutex_);
        running_ = false;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

Verifier::Digest Verifier::digest_of(const std::string& name_and_password) const {
    Digest digest;
    expect(gnutls_hmac_fast(GNUTLS_MAC_SHA256, key_.data(), key_.size(), name_and_password.data(),
                            name_and_password.size(), digest.data()));
    return digest;
}

std::optional<Verdict> Verifier::verify(const std::string& name_and_password, Done done) {
    const auto digest = digest_of(name_and_password);
    const std::lock_guard lock(mutex_);
    if (const auto found = verdicts_.find(digest); found != verdicts_.end()) return found->second;
    if (!running_) return Verdict::busy;
    const auto same = std::find_if(waiting_.begin(), waiting_.end(),
                                   [&](const auto& one) { return one.digest == digest; });
    if (same != waiting_.end()) {
        same->done.push_back(std::move(done));
        return std::nullopt;
    }
    if (waiting_.size() == most_waiting) return Verdict::busy;
    waiting_.push_back({digest, name_and_password, {std::move(done)}});
    changed_.notify_all();
    return std::nullopt;
}

void Verifier::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return !running_ || !waiting_.empty(); });
        if (!running_ && waiting_.empty()) return;
        const auto verdict = running_ ? verify_first(lock) : Verdict::busy;
        const auto first = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        for (const auto& done : first.done)
            done(verdict);
        lock.lock();
    }
}

/// Again if the passwords changed meanwhile.
Verdict Verifier::verify_first(std::unique_lock<std::mutex>& lock) {
    for (;;) {
        const auto passwords = passwords_;
        const auto generation = generation_;
        const auto credentials = waiting_.front().name_and_password;
        ++verified_count_;
        lock.unlock();
        const auto verdict = is_right(passwords, credentials) ? Verdict::right : Verdict::wrong;
        lock.lock();
        if (generation != generation_) continue;
        remember(waiting_.front().digest, verdict);
        return verdict;
    }
}

void Verifier::remember(const Digest& digest, Verdict verdict) {
    if (!verdicts_.emplace(digest, verdict).second || verdict == Verdict::right) return;
    wrong_.push_back(digest);
    if (wrong_.size() <= most_wrong) return;
    verdicts_.erase(wrong_.front());
    wrong_.pop_front();
}

void Verifier::replace(Passwords passwords) {
    const std::lock_guard lock(mutex_);
    if (passwords == passwords_) return;
    passwords_ = std::move(passwords);
    ++generation_;
    verdicts_.clear();
    wrong_.clear();
}

size_t Verifier::verified_count() const {
    const std::lock_guard lock(mutex_);
    return verified_count_;
}

} // namespace agent
