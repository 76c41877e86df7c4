#include "commands/hold.h"

#include <fmt/format.h>

namespace commands {

Hold hold_cpus(const std::filesystem::path& lock, const base::CpuList& cpus, Progress& progress) {
    try {
        return {.loan = std::nullopt, .holder = soak::Holder(lock, cpus)};
    } catch (const soak::HeldError& held) {
        progress.show(fmt::format("waiting for process {} to pause", held.holder()));
        auto loan = agent::borrow(lock, held.holder());
        progress.clear();
        Hold hold{.loan = std::move(loan), .holder = soak::Holder(lock, cpus)};
        if (hold.loan)
            progress.note(
                fmt::format("cyclesoak: the agent (process {}) pauses meanwhile", held.holder()));
        return hold;
    }
}

} // namespace commands
