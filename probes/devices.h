#pragma once

#include "probes/counters.h"

#include <functional>
#include <vector>

namespace probes {

using ReadDevices = std::function<std::vector<DeviceCounters>()>;

/// Reads all devices of the current network namespace, by index, over one netlink socket that it
/// opens at its first call and keeps. Its calls throw std::runtime_error.
ReadDevices make_device_reader();

} // namespace probes
