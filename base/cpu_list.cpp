#include "base/cpu_list.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sched.h>

namespace base {
namespace {

constexpr int most_cpus = 65536;

int parse_cpu(std::string_view text, std::string_view whole) {
    const auto cpu = parse_integer(text);
    if (!cpu || *cpu < 0 || *cpu >= most_cpus)
        throw ParseError("CPU list", 0, fmt::format("'{}' is not like 0-2,5", whole));
    return static_cast<int>(*cpu);
}

} // namespace

CpuList parse_cpu_list(std::string_view text) {
    CpuList cpus;
    for (const auto part : split(trim(text), ",")) {
        const auto dash = part.find('-');
        const int first = parse_cpu(part.substr(0, dash), text);
        const int last = dash == part.npos ? first : parse_cpu(part.substr(dash + 1), text);
        if (last < first) throw ParseError("CPU list", 0, fmt::format("'{}' runs backwards", part));
        for (int cpu = first; cpu <= last; ++cpu)
            cpus.push_back(cpu);
    }
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
    return cpus;
}

std::string format_cpu_list(const CpuList& cpus) {
    std::string text;
    for (size_t i = 0; i < cpus.size();) {
        size_t end = i + 1;
        while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1)
            ++end;
        if (!text.empty()) text += ',';
        text += end - i == 1 ? fmt::format("{}", cpus[i])
                             : fmt::format("{}-{}", cpus[i], cpus[end - 1]);
        i = end;
    }
    return text;
}

namespace {

constexpr int most = 8192; // as many as Linux can be built for

} // namespace

CpuList usable_cpus() {
    auto* set = CPU_ALLOC(most);
    const size_t bytes = CPU_ALLOC_SIZE(most);
    CpuList cpus;
    if (sched_getaffinity(0, bytes, set) == 0)
        for (int cpu = 0; cpu < most; ++cpu)
            if (CPU_ISSET_S(static_cast<size_t>(cpu), bytes, set)) cpus.push_back(cpu);
    CPU_FREE(set);
    return cpus;
}

void use_cpus(const CpuList& cpus) {
    auto* set = CPU_ALLOC(most);
    const size_t bytes = CPU_ALLOC_SIZE(most);
    CPU_ZERO_S(bytes, set);
    for (const int cpu : cpus)
        CPU_SET_S(static_cast<size_t>(cpu), bytes, set);
    const bool done = sched_setaffinity(0, bytes, set) == 0;
    CPU_FREE(set);
    if (!done) throw system_error("use CPUs " + format_cpu_list(cpus));
}

} // namespace base
