#include "probes/benchmark.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <poll.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace probes {
namespace {

using namespace std::chrono_literals;

constexpr size_t most_output_bytes = size_t{16} * 1024 * 1024;
constexpr size_t most_error_lines = 20;
constexpr auto longest_drain = 200ms;

/// Reads once and passes it on; false if there is nothing now, or ever again (`fd` is closed then).
template <typename Take>
bool read_some(base::Descriptor& fd, Take take) {
    std::array<char, 65536> buffer;
    if (!fd) return false;
    const ssize_t got = read(fd.get(), buffer.data(), buffer.size());
    if (got > 0) {
        take(std::string_view(buffer.data(), static_cast<size_t>(got)));
        return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) fd.close();
    return false;
}

/// How the child ended, without reaping it: so long its process group cannot become another's.
std::optional<int> read_exit_status(pid_t pid) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        throw base::system_error("wait for the benchmark");
    if (info.si_pid == 0) return std::nullopt;
    return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

} // namespace

void echo_to_stderr(std::string_view line) {
    std::string text(line);
    text += '\n';
    for (size_t done = 0; done < text.size();) {
        const ssize_t written = write(STDERR_FILENO, text.data() + done, text.size() - done);
        if (written < 0 && errno != EINTR) return;
        done += static_cast<size_t>(std::max<ssize_t>(written, 0));
    }
}

Benchmark::Benchmark(base::Loop& loop, const std::vector<std::string>& command,
                     const base::OriginalSignals& original, TakeLine echo)
    : loop_(loop), echo_(std::move(echo)), child_(make_child(command, original)) {
    watch();
}

Benchmark::~Benchmark() {
    forget();
    take_terminal_back(child_);
    kill(-child_.pid, SIGKILL);
    pollfd ended{child_.ended.get(), POLLIN, 0};
    poll(&ended, 1, 1000);
    waitpid(child_.pid, nullptr, WNOHANG);
}

void Benchmark::watch() {
    loop_.watch(child_.ended.get(), [this] { end(); });
    for (auto* stream : {&child_.output, &child_.errors})
        loop_.watch(stream->get(), [this, stream, fd = stream->get()] {
            stream == &child_.output ? read_output() : read_errors();
            if (!*stream) loop_.forget(fd);
        });
}

void Benchmark::forget() {
    for (const auto* fd : {&child_.ended, &child_.output, &child_.errors, &kill_timer_})
        loop_.forget(fd->get());
}

bool Benchmark::read_output() {
    return read_some(child_.output, [this](std::string_view text) {
        output_lines_.add(text, echo_);
        output_.append(text);
        // Twice the size, so that the end is moved to the front seldom.
        if (output_.size() > 2 * most_output_bytes)
            output_.erase(0, output_.size() - most_output_bytes);
    });
}

bool Benchmark::read_errors() {
    return read_some(child_.errors, [this](std::string_view text) {
        error_lines_.add(text, [this](std::string_view line) { keep_error(line); });
    });
}

void Benchmark::keep_error(std::string_view line) {
    echo_(line);
    last_errors_.emplace_back(line);
    if (last_errors_.size() > most_error_lines) last_errors_.pop_front();
}

/// What the child itself wrote is in the pipes when it has ended; a grandchild may hold them open
/// for ever and may go on writing.
void Benchmark::drain() {
    const auto deadline = base::monotonic_now() + longest_drain;
    bool more = true;
    while (more && base::monotonic_now() < deadline) {
        more = read_output();
        more = read_errors() || more;
    }
    output_lines_.finish(echo_);
    error_lines_.finish([this](std::string_view line) { keep_error(line); });
}

void Benchmark::end() {
    const auto status = read_exit_status(child_.pid);
    if (!status) return;
    forget();
    drain();
    child_.output.close();
    child_.errors.close();
    take_terminal_back(child_);
    // What it left running in its group would spoil the baseline after it.
    kill(-child_.pid, SIGTERM);
    exit_status_ = status;
    if (on_end_) on_end_();
}

void Benchmark::interrupt(int signal) {
    if (running()) kill(-child_.pid, signal);
}

void Benchmark::terminate(base::Nanoseconds grace) {
    if (!running()) return;
    interrupt(SIGTERM);
    interrupt(SIGCONT); // a stopped process would not see the first
    loop_.forget(kill_timer_.get());
    kill_timer_ = base::make_descriptor(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), "timerfd");
    const auto wait = std::max(grace, base::Nanoseconds(1));
    const auto whole = std::chrono::floor<std::chrono::seconds>(wait);
    const itimerspec once{.it_interval = {},
                          .it_value = {.tv_sec = whole.count(), .tv_nsec = (wait - whole).count()}};
    timerfd_settime(kill_timer_.get(), 0, &once, nullptr);
    loop_.watch(kill_timer_.get(), [this] {
        loop_.forget(kill_timer_.get());
        interrupt(SIGKILL);
    });
}

std::string_view Benchmark::output() const {
    const std::string_view text = output_;
    return text.substr(text.size() - std::min(text.size(), most_output_bytes));
}

} // namespace probes
