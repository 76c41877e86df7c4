#pragma once

#include "demand/apportion.h"
#include "demand/report.h"

#include <optional>
#include <vector>

namespace demand {

struct PerturbationResult {
    Perturbation perturbation;
    base::Warnings warnings;
};

/// Soaked against free over the complete pairs of `report.phases`:
///   rate_ratio         = (sum units / sum seconds) soaked / the same free
///   cpu_per_unit_ratio = (sum task_seconds / sum units) soaked / the same free
/// Nothing without pairs or work in both kinds. `shares` is one a phase.
std::optional<PerturbationResult>
make_perturbation(const Report& report, const std::vector<Apportionment::Share>& shares);

} // namespace demand
