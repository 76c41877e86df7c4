#include "probes/child.h"

#include "base/error.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace probes {
namespace {

/// What the child needs, made before the fork: after it nothing may be allocated.
struct Plan {
    std::vector<char*> arguments; ///< ends with nullptr
    const base::OriginalSignals& original;
    pid_t parent;
    bool has_terminal;
    int output, errors, failure; ///< writing ends
};

std::vector<char*> make_arguments(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const auto& argument : command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    return arguments;
}

bool is_foreground() { return tcgetpgrp(STDIN_FILENO) == getpgrp(); }

/// Setting the foreground group from a background group raises SIGTTOU, which stops the caller.
void set_foreground(pid_t group) {
    sigset_t stop, before;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stop, &before);
    tcsetpgrp(STDIN_FILENO, group);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

[[noreturn]] void become(const Plan& plan) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != plan.parent) _exit(127);
    if (plan.has_terminal) set_foreground(getpid());
    restore_signals(plan.original);
    if (plan.has_terminal) signal(SIGTSTP, SIG_IGN);
    dup2(plan.output, STDOUT_FILENO);
    dup2(plan.errors, STDERR_FILENO);
    execvp(plan.arguments[0], plan.arguments.data());
    const int error = errno;
    // If even this fails the parent takes the child for one that ended with 127.
    [[maybe_unused]] const auto written = write(plan.failure, &error, sizeof(error));
    _exit(127);
}

/// The errno of a failed exec; 0 if the pipe was closed by a successful one.
int read_failure(int fd) {
    int error = 0;
    while (read(fd, &error, sizeof(error)) < 0 && errno == EINTR) {
    }
    return error;
}

void set_nonblocking(const base::Descriptor& fd) { fcntl(fd.get(), F_SETFL, O_NONBLOCK); }

} // namespace

Child make_child(const std::vector<std::string>& command, const base::OriginalSignals& original) {
    if (command.empty()) throw base::UsageError("no command to run");
    auto output = base::make_pipe(), errors = base::make_pipe(), failure = base::make_pipe();
    const Plan plan{.arguments = make_arguments(command),
                    .original = original,
                    .parent = getpid(),
                    .has_terminal = is_foreground(),
                    .output = output.write.get(),
                    .errors = errors.write.get(),
                    .failure = failure.write.get()};
    const pid_t pid = fork();
    if (pid < 0) throw base::system_error("fork");
    if (pid == 0) become(plan);
    failure.write.close();
    Child child{pid, {}, std::move(output.read), std::move(errors.read), plan.has_terminal};
    int error = read_failure(failure.read.get());
    // glibc 2.36 declares pidfd_open without extern "C".
    child.ended = base::Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (error == 0 && !child.ended) error = errno;
    if (error != 0) {
        take_terminal_back(child);
        kill(-pid, SIGKILL);
        waitpid(pid, nullptr, 0);
        throw base::system_error("run " + command[0], error);
    }
    set_nonblocking(child.output);
    set_nonblocking(child.errors);
    return child;
}

void take_terminal_back(const Child& child) {
    if (child.has_terminal && tcgetpgrp(STDIN_FILENO) == child.pid) set_foreground(getpgrp());
}

} // namespace probes
