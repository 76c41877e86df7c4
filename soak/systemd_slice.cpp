#include "soak/systemd_slice.h"

#include "base/cgroups.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <optional>
#include <systemd/sd-bus.h>

namespace soak {
namespace {

using base::Nanoseconds;
using std::chrono::microseconds;

constexpr const char* service = "org.freedesktop.systemd1";
constexpr const char* manager_path = "/org/freedesktop/systemd1";
constexpr const char* manager = "org.freedesktop.systemd1.Manager";
constexpr const char* slice = "cyclesoak.slice";
/// What D-Bus has for "idle"; before systemd 252 out of range.
constexpr uint64_t idle_weight = 0;

/// Asks for the scope and waits until its job has ended.
class Request {
  public:
    Request(sd_bus* bus, pid_t pid, std::string scope)
        : bus_(bus), pid_(static_cast<uint32_t>(pid)), scope_(std::move(scope)) {}

    /// Empty, or why it failed.
    std::string run(Nanoseconds patience) {
        const auto deadline = base::monotonic_now() + patience;
        int error = listen();
        if (error >= 0) error = start_scope(true);
        while (error >= 0 && !outcome_) {
            error = sd_bus_process(bus_, nullptr);
            if (error != 0) continue; // did something, or failed
            const auto left = deadline - base::monotonic_now();
            if (left <= Nanoseconds::zero()) return "systemd does not answer";
            sd_bus_wait(bus_, static_cast<uint64_t>(std::chrono::ceil<microseconds>(left).count()));
        }
        return outcome_ ? *outcome_
                        : fmt::format("the connection to systemd: {}", std::strerror(-error));
    }

  private:
    int listen() {
        const int error = sd_bus_match_signal_async(bus_, nullptr, service, manager_path, manager,
                                                    "JobRemoved", &job_removed, nullptr, this);
        if (error < 0) return error;
        return sd_bus_call_method_async(bus_, nullptr, service, manager_path, manager, "Subscribe",
                                        &replied, this, nullptr);
    }

    /// With the slice, or in the one that is there.
    int start_scope(bool with_slice) {
        with_slice_ = with_slice;
        sd_bus_message* made = nullptr;
        int error = sd_bus_message_new_method_call(bus_, &made, service, manager_path, manager,
                                                   "StartTransientUnit");
        if (error < 0) return error;
        const Message call(made, &sd_bus_message_unref);
        error = sd_bus_message_append(made, "ssa(sv)", scope_.c_str(), "replace", 4,  //
                                      "Description", "s", "The soakers of cyclesoak", //
                                      "Slice", "s", slice, "PIDs", "au", 1, pid_,     //
                                      "CollectMode", "s", "inactive-or-failed");
        if (error < 0) return error;
        error = with_slice ? sd_bus_message_append(made, "a(sa(sv))", 1, slice, 2, //
                                                   "CPUWeight", "t", idle_weight,  //
                                                   "StopWhenUnneeded", "b", 1)
                           : sd_bus_message_append(made, "a(sa(sv))", 0);
        return error < 0 ? error : sd_bus_call_async(bus_, nullptr, made, &replied, this, 0);
    }

    static int replied(sd_bus_message* reply, void* request, sd_bus_error*) {
        const auto* error = sd_bus_message_get_error(reply);
        return error ? static_cast<Request*>(request)->refused(*error) : 0;
    }

    int refused(const sd_bus_error& error) {
        // Another cyclesoak, on other CPUs, has its scope in the slice.
        if (with_slice_ && sd_bus_error_has_name(&error, "org.freedesktop.systemd1.UnitExists"))
            return start_scope(false);
        const bool unknown = sd_bus_error_has_names(&error, SD_BUS_ERROR_INVALID_ARGS,
                                                    SD_BUS_ERROR_PROPERTY_READ_ONLY);
        outcome_ = fmt::format("systemd: {}{}", error.message ? error.message : error.name,
                               unknown ? "; idle slices need version 252" : "");
        return 0;
    }

    static int job_removed(sd_bus_message* signal, void* request, sd_bus_error*) {
        auto& self = *static_cast<Request*>(request);
        const char *unit = nullptr, *result = nullptr;
        const int error = sd_bus_message_read(signal, "uoss", nullptr, nullptr, &unit, &result);
        if (error < 0 || unit != self.scope_) return 0;
        const bool done = result == std::string_view("done");
        self.outcome_ = done ? "" : fmt::format("systemd: job for {}: {}", unit, result);
        return 0;
    }

    using Message = std::unique_ptr<sd_bus_message, decltype(&sd_bus_message_unref)>;

    sd_bus* bus_;
    uint32_t pid_;
    std::string scope_;
    bool with_slice_ = true;
    std::optional<std::string> outcome_; ///< empty: the scope is there
};

/// Empty, or why the process is not in an idle slice in spite of all.
std::string look(const base::Root& root, const base::CgroupMount& mount, pid_t pid,
                 const std::string& scope) {
    const auto wanted = fmt::format("/{}/{}", slice, scope);
    const auto group = base::read_group(root, pid, mount, "cpu").value_or("none");
    if (group != wanted) return fmt::format("the soakers are in group {}, not {}", group, wanted);
    const auto idle = root.read_line(fmt::format("{}/{}/cpu.idle", mount.point, slice));
    if (idle == "1") return "";
    return fmt::format("{} is not idle: its cpu.idle is {}", slice, idle.value_or("absent"));
}

std::string try_idle_slice(const base::Root& root, pid_t owner, pid_t pid, const Systemd& systemd) {
    const auto mount = base::find_cpu_groups(root);
    if (!mount || mount->version != 2) return "CPU groups are not in a cgroup v2 hierarchy";
    if (!runs_systemd(root)) return "systemd does not run here";
    sd_bus* opened = nullptr;
    if (const int error = systemd.open(&opened); error < 0)
        return fmt::format("no connection to systemd: {}", std::strerror(-error));
    const std::unique_ptr<sd_bus, decltype(&sd_bus_close_unref)> bus(opened, &sd_bus_close_unref);
    const auto scope = fmt::format("cyclesoak-{}.scope", owner);
    const auto failed = Request(bus.get(), pid, scope).run(systemd.patience);
    return failed.empty() ? look(root, *mount, pid, scope) : failed;
}

} // namespace

int open_system_bus(sd_bus** bus) { return sd_bus_open_system(bus); }

bool runs_systemd(const base::Root& root) {
    return std::filesystem::is_directory(root.at("/run/systemd/system"));
}

bool enter_idle_slice(const base::Root& root, pid_t owner, pid_t pid, std::string& why,
                      const Systemd& systemd) {
    why = try_idle_slice(root, owner, pid, systemd);
    return why.empty();
}

} // namespace soak
