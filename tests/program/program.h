#pragma once

#include "base/descriptor.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

/// The real program, started as a user would.
namespace program {

inline const std::string path = CYCLESOAK_PROGRAM;

struct Options {
    std::string program = path;                     ///< what is started
    std::map<std::string, std::string> environment; ///< beside a state folder of the tests' own
    std::vector<std::string> before;                ///< what stands before the program's name
    std::string stdout_to;                          ///< a file instead of a pipe
    bool as_nobody = false;                         ///< where we are root
};

struct Ended {
    int exit_status = -1; ///< 128 + signal
    std::string out, err;
    nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// A running program; killed and reaped at the latest by the destructor.
class Running {
  public:
    explicit Running(const std::vector<std::string>& arguments, const Options& options = {});
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running();

    pid_t pid() const { return pid_; }
    void signal(int number) const;
    /// Waits until its stderr or stdout contains `text`; false after 30 s or at its end.
    bool says(const std::string& text);
    /// What it wrote until now, as far as it was waited for.
    const Ended& so_far() const { return so_far_; }
    Ended wait();

  private:
    bool read_more(int patience_ms);

    pid_t pid_ = -1;
    base::Descriptor out_, err_;
    Ended so_far_;
};

Ended run(const std::vector<std::string>& arguments, const Options& options = {});

/// Exit code 0, or 3 where the machine was so unsteady that the calibration is in doubt, and that is
/// said: no test may need a quiet machine.
bool measured(const Ended& ended);

/// A short load whose packets cross loopback: about 2 s at a fixed rate.
std::vector<std::string> short_load(const std::string& program = path);
/// {"run", OPTIONS..., "--", BENCHMARK...} with a short baseline, and JSON on stdout.
std::vector<std::string> short_run(const std::vector<std::string>& options,
                                   const std::vector<std::string>& benchmark = short_load());

/// Folder that the tests share, so that they calibrate once.
std::filesystem::path state_folder();
/// An empty folder of this test's own.
std::filesystem::path fresh_folder(const std::string& name);

bool has_warning(const nlohmann::json& report, const std::string& id);
/// pid of the soakers' process whose parent is `parent`; 0: none.
pid_t find_soakers(pid_t parent);
bool is_alive(pid_t pid);
/// Waits for a process that is not ours to be gone; false after 5 s.
bool goes(pid_t pid);
/// Groups that cyclesoak made for `owner` and that are still there.
std::vector<std::filesystem::path> groups_of(pid_t owner);

} // namespace program
