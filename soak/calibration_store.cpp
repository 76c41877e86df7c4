#include "soak/calibration_store.h"

#include "base/text.h"
#include "soak/calibration_json.h"

#include <fmt/format.h>

#include <cstdlib>
#include <unistd.h>

namespace soak {
namespace {

constexpr int schema = 1;
/// Counts up whenever chunks, limits or what is sampled change.
constexpr auto loop_version = "3";
constexpr auto kind_of_file = "cyclesoak calibration";

/// Value of the first "key : value" line of /proc/cpuinfo.
std::string cpuinfo(std::string_view text, std::string_view key) {
    for (const auto line : base::lines(text)) {
        const auto colon = line.find(':');
        if (colon != line.npos && base::trim(line.substr(0, colon)) == key)
            return std::string(base::trim(line.substr(colon + 1)));
    }
    return "";
}

StoredCalibration refused(const std::string& why) { return {.why = why, .replaceable = false}; }

StoredCalibration parse(const Json& json, const Fingerprint& wanted) {
    if (json.value("kind", "") != kind_of_file) return refused("it is not a calibration");
    if (json.at("schema") != schema)
        return refused(fmt::format("its schema is {}, not {}", json.at("schema").dump(), schema));
    const auto differs = difference(json.at("fingerprint").get<Fingerprint>(), wanted);
    if (!differs.empty()) return {.why = differs};
    if (json.value("doubtful", false))
        return {.why = "what was measured with the last one contradicts it"};
    return {.calibration = parse_calibration(json)};
}

} // namespace

std::string difference(const Fingerprint& found, const Fingerprint& wanted) {
    for (const auto& [key, value] : wanted) {
        const auto item = found.find(key);
        if (item == found.end()) return fmt::format("it does not say its {}", key);
        if (item->second != value)
            return fmt::format("{} was '{}' and is '{}'", key, item->second, value);
    }
    return "";
}

Fingerprint read_fingerprint(const base::Root& root, const base::CpuList& cpus,
                             const WorkingSetChoice& working_set) {
    const auto info = root.read("/proc/cpuinfo").value_or("");
    const auto governor = fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor",
                                      cpus.empty() ? 0 : cpus.front());
    return {{"cpu model", cpuinfo(info, "model name")},
            {"microcode", cpuinfo(info, "microcode")},
            {"kernel", root.read_line("/proc/sys/kernel/osrelease").value_or("")},
            {"cpus", base::format_cpu_list(cpus)},
            {"SMT", root.read_line("/sys/devices/system/cpu/smt/control").value_or("")},
            {"governor", root.read_line(governor).value_or("")},
            {"working set", working_set.text()},
            {"loop version", loop_version}};
}

std::filesystem::path calibration_path(std::string_view file) {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::filesystem::path(value ? value : "");
    };
    auto folder = variable("XDG_STATE_HOME");
    if (folder.empty())
        folder = geteuid() == 0 ? "/var/lib" : variable("HOME") / ".local" / "state";
    return folder / "cyclesoak" / file;
}

StoredCalibration read_calibration(const std::filesystem::path& path, const Fingerprint& wanted) {
    try {
        const auto text = base::read_file(path);
        if (!text) return {.why = "there is none yet"};
        return parse(Json::parse(*text), wanted);
    } catch (const Json::exception& error) {
        return refused(fmt::format("it is damaged: {}", error.what()));
    } catch (const std::system_error& error) {
        return refused(error.what());
    }
}

void write_calibration(const std::filesystem::path& path, const Calibration& calibration,
                       const Fingerprint& fingerprint) {
    Json json{{"kind", kind_of_file}, {"schema", schema}, {"fingerprint", fingerprint}};
    json.update(to_json(calibration));
    base::replace_file(path, json.dump(2) + "\n");
}

} // namespace soak
