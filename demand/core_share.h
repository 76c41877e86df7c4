#pragma once

#include "soak/window.h"

#include <vector>

namespace demand {

/// Was somebody else on the core's other hardware thread: a sibling that was not soaked, or in a
/// virtual machine a neighbour that it does not see? Then more of the window's throughput blocks are
/// slow than one in a hundred, and one after every seventh stall, which leaves code to be fetched
/// anew (docs/agent.md).
bool contended(const soak::CpuWindow& window);

/// What a soaker gets of its core (soak::CpuWindow::core_share_ratio) falls beside such a stranger,
/// and where the clock slows down.
///
/// The least share of an undisturbed window, of those given: 2 % below their best tenth. Undisturbed
/// ones vary by less, and a neighbour takes more (docs/measurement.md). 0 if none is given.
double least_undisturbed_share(std::vector<double> shares);

} // namespace demand
