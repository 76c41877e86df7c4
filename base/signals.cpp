#include "base/signals.h"

#include "base/error.h"

#include <initializer_list>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace base {

OriginalSignals read_signals() {
    OriginalSignals original{};
    pthread_sigmask(SIG_SETMASK, nullptr, &original.blocked);
    sigemptyset(&original.ignored);
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action {};
        // Fails for the two numbers that the C library keeps for itself.
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
            sigaddset(&original.ignored, signal);
    }
    return original;
}

void restore_signals(const OriginalSignals& original) noexcept {
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action {};
        action.sa_handler = sigismember(&original.ignored, signal) == 1 ? SIG_IGN : SIG_DFL;
        sigaction(signal, &action, nullptr);
    }
    pthread_sigmask(SIG_SETMASK, &original.blocked, nullptr);
}

void block_signals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

Signals::Signals(const OriginalSignals& original) {
    sigset_t awaited;
    sigemptyset(&awaited);
    // A blocked signal is queued even if it is ignored: it must not be awaited at all.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        if (sigismember(&original.ignored, signal) != 1) sigaddset(&awaited, signal);
    fd_ = make_descriptor(signalfd(-1, &awaited, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
    pthread_sigmask(SIG_BLOCK, &awaited, &before_);
}

Signals::~Signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

std::optional<int> Signals::take() {
    signalfd_siginfo info{};
    if (read(fd_.get(), &info, sizeof(info)) != static_cast<ssize_t>(sizeof(info)))
        return std::nullopt;
    return static_cast<int>(info.ssi_signo);
}

void stop_at_signals(Loop& loop, Signals& signals) {
    loop.watch(signals.fd(), [&] {
        signals.take();
        loop.stop();
    });
}

} // namespace base
