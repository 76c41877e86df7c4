#pragma once

#include <vector>

namespace demand {

/// What a soaker gets of its core (soak::CpuWindow::core_share_ratio) falls where a stranger is on
/// the core's other hardware thread: in a virtual machine, a neighbour that it does not see.
///
/// The least share of an undisturbed window, of those given: 2 % below their best tenth. Undisturbed
/// ones vary by less, and a neighbour takes more (docs/measurement.md). 0 if none is given.
double least_undisturbed_share(std::vector<double> shares);

} // namespace demand
