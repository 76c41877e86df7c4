#pragma once

#include "base/files.h"
#include "soak/calibration.h"
#include "soak/topology.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace soak {

/// What a calibration is true for; any difference makes it stale.
using Fingerprint = std::map<std::string, std::string>;

/// CPU model, microcode, kernel, governor and SMT state from `root`; CPUs, working set and the
/// version of the soaking loop.
Fingerprint read_fingerprint(const base::Root& root, const base::CpuList& cpus,
                             const WorkingSetChoice& working_set);

/// The first thing of `wanted` that `found` lacks or has otherwise, for people; empty: nothing.
std::string difference(const Fingerprint& found, const Fingerprint& wanted);

/// What is stored, or why it cannot be used.
struct StoredCalibration {
    std::optional<Calibration> calibration;
    std::string why;         ///< empty if there is one; for people
    bool replaceable = true; ///< false: the file is not ours, damaged, or of a later version
};

/// In $XDG_STATE_HOME/cyclesoak, /var/lib/cyclesoak for root, else ~/.local/state/cyclesoak.
std::filesystem::path calibration_path(std::string_view file = "calibration.json");

/// Never throws for what is in the file.
StoredCalibration read_calibration(const std::filesystem::path& path, const Fingerprint& wanted);

/// Whole or not at all. Throws std::system_error.
void write_calibration(const std::filesystem::path& path, const Calibration& calibration,
                       const Fingerprint& fingerprint);

} // namespace soak
