#pragma once

#include "base/descriptor.h"
#include "base/error.h"
#include "soak/systemd_slice.h"
#include "tests/recorded_root.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <functional>
#include <map>
#include <string>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-id128.h>
#include <thread>
#include <vector>

namespace soak {

/// A machine whose systemd owns a v2 hierarchy, which hands out `controllers`.
struct SystemdMachine : RecordedRoot {
    explicit SystemdMachine(const std::string& controllers = "cpuset cpu io memory pids") {
        write("run/systemd/system/a.unit", "");
        write("proc/self/mountinfo", "35 25 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
        write("sys/fs/cgroup/cgroup.subtree_control", controllers + "\n");
        write("proc/sys/kernel/sched_autogroup_enabled", "1\n");
    }
    /// What can be seen once process `pid` is in `group`, and the slice has `cpu_idle`.
    void put(pid_t pid, const std::string& group, const std::string& cpu_idle) const {
        write(fmt::format("proc/{}/cgroup", pid), fmt::format("0::{}\n", group));
        write("sys/fs/cgroup/cyclesoak.slice/cpu.idle", cpu_idle);
    }
};

/// A service manager at the other end of a socket pair, with a thread that answers one client.
class FakeSystemd {
  public:
    using Properties = std::map<std::string, std::string>;
    /// What StartTransientUnit was asked for.
    struct Asked {
        std::string unit;
        Properties properties;
        std::map<std::string, Properties> others; ///< units to be made along with it
    };
    /// How StartTransientUnit ends: the method's error, nothing yet, or after the job.
    struct Answer {
        const char* error = nullptr; ///< D-Bus name
        const char* text = "";
        const char* job = nullptr; ///< result of the unit's job; none: no answer at all
        bool hangs_up = false;
    };
    using Script = std::function<Answer(const Asked&)>;

    explicit FakeSystemd(Script script) : script_(std::move(script)) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            throw base::system_error("socketpair");
        client_ = base::Descriptor(ends[0]);
        thread_ = std::thread([this, fd = ends[1]] { serve(fd); });
    }
    ~FakeSystemd() { finish(); }

    Systemd systemd(base::Nanoseconds patience = std::chrono::seconds(30)) {
        return {.open = [this](sd_bus** bus) { return connect(bus); }, .patience = patience};
    }
    /// All requests, once the client has gone.
    const std::vector<Asked>& finish() {
        client_.close();
        if (thread_.joinable()) thread_.join();
        return asked_;
    }

  private:
    static int start(sd_bus* bus, int fd) {
        sd_bus_set_fd(bus, fd, fd);
        sd_bus_set_anonymous(bus, 1);
        return sd_bus_start(bus);
    }

    int connect(sd_bus** bus) {
        const int error = sd_bus_new(bus);
        return error < 0 ? error : start(*bus, fcntl(client_.get(), F_DUPFD_CLOEXEC, 0));
    }

    void serve(int fd) {
        sd_bus* bus = nullptr;
        sd_bus_new(&bus);
        sd_bus_set_server(bus, 1, sd_id128_t{});
        sd_bus_set_sender(bus, "org.freedesktop.systemd1");
        sd_bus_add_filter(bus, nullptr, &FakeSystemd::answer, this);
        int done = start(bus, fd);
        while (done >= 0) {
            done = sd_bus_process(bus, nullptr);
            if (done == 0) done = sd_bus_wait(bus, UINT64_MAX);
        }
        sd_bus_close_unref(bus);
    }

    static int answer(sd_bus_message* call, void* fake, sd_bus_error*) {
        if (sd_bus_message_is_method_call(call, nullptr, "Subscribe"))
            return sd_bus_reply_method_return(call, nullptr);
        if (!sd_bus_message_is_method_call(call, nullptr, "StartTransientUnit")) return 0;
        return static_cast<FakeSystemd*>(fake)->start_unit(call);
    }

    int start_unit(sd_bus_message* call) {
        asked_.push_back(read(call));
        const auto& unit = asked_.back().unit;
        const auto answer = script_(asked_.back());
        if (answer.error) return sd_bus_reply_method_errorf(call, answer.error, "%s", answer.text);
        if (answer.hangs_up) sd_bus_close(sd_bus_message_get_bus(call));
        if (!answer.job) return 1;
        sd_bus_reply_method_return(call, "o", "/org/freedesktop/systemd1/job/7");
        tell(sd_bus_message_get_bus(call), "another.scope", "failed");
        tell(sd_bus_message_get_bus(call), unit.c_str(), answer.job);
        return 1;
    }

    static void tell(sd_bus* bus, const char* unit, const char* result) {
        sd_bus_emit_signal(bus, "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager",
                           "JobRemoved", "uoss", 7, "/org/freedesktop/systemd1/job/7", unit,
                           result);
    }

    static Asked read(sd_bus_message* call) {
        Asked asked;
        const char *unit = "", *other = "";
        sd_bus_message_read(call, "ss", &unit, nullptr);
        asked.unit = unit;
        asked.properties = read_properties(call);
        sd_bus_message_enter_container(call, 'a', "(sa(sv))");
        while (sd_bus_message_enter_container(call, 'r', "sa(sv)") > 0) {
            sd_bus_message_read(call, "s", &other);
            asked.others[other] = read_properties(call);
            sd_bus_message_exit_container(call);
        }
        return asked;
    }

    static Properties read_properties(sd_bus_message* call) {
        Properties properties;
        sd_bus_message_enter_container(call, 'a', "(sv)");
        while (sd_bus_message_enter_container(call, 'r', "sv") > 0) {
            const char *name = "", *type = "";
            sd_bus_message_read(call, "s", &name);
            sd_bus_message_peek_type(call, nullptr, &type);
            properties[name] = read_value(call, type);
            sd_bus_message_exit_container(call);
        }
        sd_bus_message_exit_container(call);
        return properties;
    }

    /// "type value".
    static std::string read_value(sd_bus_message* call, const std::string& type) {
        const char* text = "";
        uint64_t number = 0;
        int flag = 0;
        uint32_t pid = 0;
        if (type == "s") sd_bus_message_read(call, "v", "s", &text);
        if (type == "t") sd_bus_message_read(call, "v", "t", &number);
        if (type == "b") sd_bus_message_read(call, "v", "b", &flag);
        if (type == "au") sd_bus_message_read(call, "v", "au", 1, &pid);
        if (type == "s") return fmt::format("s {}", text);
        return fmt::format("{} {}", type, type == "t" ? number : type == "b" ? flag != 0 : pid);
    }

    Script script_;
    std::vector<Asked> asked_; // the thread's, until it ends
    base::Descriptor client_;
    std::thread thread_;
};

} // namespace soak
