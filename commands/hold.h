#pragma once

#include "agent/lender.h"
#include "base/cpu_list.h"
#include "commands/progress.h"
#include "soak/holder.h"

#include <filesystem>
#include <optional>

namespace commands {

/// CPUs that nobody but us soaks.
struct Hold {
    std::optional<agent::Loan> loan; ///< from an agent that pauses for us
    soak::Holder holder;             ///< declared last: given back before the loan
};

/// Locks `cpus` in the file `lock`. An agent that has one of them is asked to pause for as long, which
/// is told. Throws soak::HeldError where nobody pauses, std::system_error where nothing can be locked.
Hold hold_cpus(const std::filesystem::path& lock, const base::CpuList& cpus, Progress& progress);

} // namespace commands
