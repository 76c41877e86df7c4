#pragma once

#include "soak/calibration.h"

#include <nlohmann/json.hpp>

namespace soak {

using Json = nlohmann::ordered_json;

/// A calibration as files keep it: "ticks_per_ns", "counter", "doubtful", "cpus". Every figure
/// comes back as it was, to the last bit.
Json to_json(const Calibration& calibration);
/// Other keys are left alone. Throws Json::exception.
Calibration parse_calibration(const Json& json);

} // namespace soak
