#include "probes/throttling.h"

#include "base/text.h"
#include "probes/cpu_groups.h"

namespace probes {
namespace {

uint64_t parse_throttled(std::string_view cpu_stat) {
    for (const auto line : base::lines(cpu_stat)) {
        const auto fields = base::split(line);
        if (fields.size() == 2 && fields[0] == "nr_throttled")
            return static_cast<uint64_t>(base::parse_integer(fields[1]).value_or(0));
    }
    return 0;
}

} // namespace

Throttling::Throttling(const base::Root& root, pid_t pid) : root_(root) {
    for (const auto& folder : find_cpu_group_folders(root, pid))
        files_.push_back(folder + "/cpu.stat");
}

uint64_t Throttling::read() const {
    uint64_t throttled = 0;
    for (const auto& file : files_)
        throttled += parse_throttled(root_.read(file).value_or(""));
    return throttled;
}

} // namespace probes
