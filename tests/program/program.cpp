#include "tests/program/program.h"

#include "base/cgroups.h"
#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "base/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace program {
namespace {

std::vector<std::string> full_command(const std::vector<std::string>& arguments,
                                      const Options& options) {
    std::vector<std::string> command = options.before;
    if (options.as_nobody && geteuid() == 0)
        for (const char* word : {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"})
            command.emplace_back(word);
    command.push_back(options.program);
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

[[noreturn]] void become(const std::vector<std::string>& command, const Options& options,
                         const base::Descriptor& out, const base::Descriptor& err) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // also where a sanitizer ends the test
    setenv("XDG_STATE_HOME", state_folder().c_str(), 1);
    for (const auto& [name, value] : options.environment)
        setenv(name.c_str(), value.c_str(), 1);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(options.stdout_to.empty() ? out.get() : open(options.stdout_to.c_str(), O_WRONLY),
         STDOUT_FILENO);
    dup2(err.get(), STDERR_FILENO);
    std::vector<char*> words;
    for (const auto& word : command)
        words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
}

} // namespace

Running::Running(const std::vector<std::string>& arguments, const Options& options) {
    const auto command = full_command(arguments, options);
    auto out = base::make_pipe();
    auto err = base::make_pipe();
    pid_ = fork();
    if (pid_ < 0) throw base::system_error("fork");
    if (pid_ == 0) become(command, options, out.write, err.write);
    out_ = std::move(out.read);
    err_ = std::move(err.read);
}

Running::~Running() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
}

void Running::signal(int number) const { kill(pid_, number); }

/// False once both pipes are closed or nothing came in time.
bool Running::read_more(int patience_ms) {
    std::array<pollfd, 2> polled{pollfd{out_.get(), POLLIN, 0}, pollfd{err_.get(), POLLIN, 0}};
    if (poll(polled.data(), polled.size(), patience_ms) <= 0) return false;
    const auto take = [](const pollfd& entry, base::Descriptor& from, std::string& to) {
        if (entry.revents == 0) return;
        std::array<char, 4096> buffer;
        const ssize_t got = read(from.get(), buffer.data(), buffer.size());
        if (got > 0)
            to.append(buffer.data(), static_cast<size_t>(got));
        else
            from.close();
    };
    take(polled[0], out_, so_far_.out);
    take(polled[1], err_, so_far_.err);
    return out_ || err_;
}

bool Running::says(const std::string& text) {
    const auto deadline = base::monotonic_now() + std::chrono::seconds(30);
    const auto said = [&] {
        return so_far_.out.find(text) != std::string::npos ||
               so_far_.err.find(text) != std::string::npos;
    };
    while (!said() && base::monotonic_now() < deadline)
        if (!read_more(1000) && !out_ && !err_) break;
    return said();
}

Ended Running::wait() {
    while (read_more(100'000)) {
    }
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    so_far_.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return so_far_;
}

Ended run(const std::vector<std::string>& arguments, const Options& options) {
    return Running(arguments, options).wait();
}

std::vector<std::string> short_load(const std::string& program) {
    return {program, "load", "udp", "--rate", "5k", "-t", "2s"};
}

std::vector<std::string> short_run(const std::vector<std::string>& options,
                                   const std::vector<std::string>& benchmark) {
    std::vector<std::string> arguments;
    const auto add = [&](const std::vector<std::string>& more) {
        arguments.insert(arguments.end(), more.begin(), more.end());
    };
    add({"run", "--format", "json", "--phase", "100ms", "--baseline", "300ms"});
    add(options);
    add({"--"});
    add(benchmark);
    return arguments;
}

std::filesystem::path state_folder() {
    const std::filesystem::path folder = TEST_STATE;
    std::filesystem::create_directories(folder);
    return folder;
}

std::filesystem::path fresh_folder(const std::string& name) {
    const auto folder = std::filesystem::temp_directory_path() /
                        fmt::format("cyclesoak-test-{}-{}", name, getpid());
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    return folder;
}

bool has_warning(const nlohmann::json& report, const std::string& id) {
    return std::ranges::any_of(report.at("warnings"),
                               [&](const auto& warning) { return warning.at("id") == id; });
}

bool measured(const Ended& ended) {
    const auto doubt = "more than their calibration allows, again and again";
    return ended.exit_status == 0 ||
           (ended.exit_status == 3 && ended.err.find(doubt) != ended.err.npos);
}

pid_t find_soakers(pid_t parent) {
    const base::Root root;
    for (const auto& name : root.list("/proc")) {
        const auto pid = base::parse_integer(name);
        if (!pid || root.read_line("/proc/" + name + "/comm") != "cyclesoak-soak") continue;
        const auto stat = root.read_line("/proc/" + name + "/stat").value_or("");
        // "pid (name) state parent"; the name has no space.
        const auto fields = base::split(stat);
        if (fields.size() > 3 && base::parse_integer(fields[3]) == parent)
            return static_cast<pid_t>(*pid);
    }
    return 0;
}

bool is_alive(pid_t pid) { return kill(pid, 0) == 0; }

bool goes(pid_t pid) {
    for (int i = 0; i < 500 && is_alive(pid); ++i)
        usleep(10'000);
    return !is_alive(pid);
}

std::vector<std::filesystem::path> groups_of(pid_t owner) {
    std::vector<std::filesystem::path> groups;
    for (const auto& mount : base::read_cgroup_mounts(base::Root())) {
        const auto group = std::filesystem::path(mount.point) / fmt::format("cyclesoak-{}", owner);
        if (std::filesystem::exists(group)) groups.push_back(group);
    }
    return groups;
}

} // namespace program
