#pragma once

#include "demand/interval.h"
#include "demand/peer.h"

#include <optional>
#include <string>

namespace demand {

/// Net seconds that were stolen at the other end, per second and CPU that was soaked there, while
/// the load ran; else why that is not known.
struct PeerSoaked {
    std::optional<RatioEstimate> net_ratio;
    std::string absent;
};

/// From the windows between the readings before and after the load, of which there is one each at
/// least. Only what is told to 20 % with 95 % confidence.
PeerSoaked estimate_peer_soaked(const PeerMeasurement& heard);

} // namespace demand
