#include "soak/topology.h"

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "soak/working_set.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <memory>
#include <sys/mman.h>

namespace soak {
namespace {

constexpr size_t most_bytes = 16 << 20;
constexpr size_t huge_page_bytes = 2 << 20;

void check(int result, const char* what) {
    if (result != 0) throw base::system_error(what);
}

hwloc_topology_t initialised() {
    hwloc_topology_t topology = nullptr;
    check(hwloc_topology_init(&topology), "hwloc_topology_init");
    return topology;
}

base::CpuList to_cpu_list(hwloc_const_cpuset_t set) {
    base::CpuList cpus;
    for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu))
        cpus.push_back(cpu);
    return cpus;
}

/// The processing unit, or an error that says which CPU.
hwloc_obj_t find_unit(hwloc_topology_t topology, int cpu) {
    auto* unit = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(cpu));
    if (!unit) throw std::invalid_argument(fmt::format("there is no CPU {}", cpu));
    return unit;
}

size_t default_bytes(int level) {
    constexpr size_t usual[] = {32 << 10, 1 << 20, 8 << 20};
    return usual[level - 1];
}

} // namespace

void Topology::Free::operator()(hwloc_topology* topology) const {
    hwloc_topology_destroy(topology);
}

Topology::Topology() : topology_(initialised()) {
    // Who shares a cache is a fact about the machine, whatever part of it is ours.
    check(hwloc_topology_set_flags(topology_.get(), HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED),
          "hwloc_topology_set_flags");
    check(hwloc_topology_load(topology_.get()), "hwloc_topology_load");
}

Topology::Topology(const std::string& synthetic) : topology_(initialised()) {
    check(hwloc_topology_set_synthetic(topology_.get(), synthetic.c_str()),
          "hwloc_topology_set_synthetic");
    check(hwloc_topology_load(topology_.get()), "hwloc_topology_load");
}

Topology::Topology(Topology&&) noexcept = default;
Topology& Topology::operator=(Topology&&) noexcept = default;
Topology::~Topology() = default;

base::CpuList Topology::cpus() const {
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> set(hwloc_bitmap_alloc(),
                                                                            hwloc_bitmap_free);
    check(hwloc_get_cpubind(topology_.get(), set.get(), HWLOC_CPUBIND_THREAD), "hwloc_get_cpubind");
    return to_cpu_list(set.get());
}

CpuPlace Topology::place(int cpu) const {
    const auto unit = find_unit(topology_.get(), cpu);
    CpuPlace place{.cpu = cpu, .siblings = {cpu}};
    if (const auto node = hwloc_bitmap_first(unit->nodeset); node >= 0) place.numa_node = node;
    for (auto* above = unit->parent; above; above = above->parent) {
        if (above->type == HWLOC_OBJ_CORE) place.siblings = to_cpu_list(above->cpuset);
        if (!hwloc_obj_type_is_dcache(above->type)) continue;
        const auto sharers = std::max(1, hwloc_bitmap_weight(above->cpuset));
        place.cache_share_bytes[static_cast<int>(above->attr->cache.depth)] =
            above->attr->cache.size / static_cast<size_t>(sharers);
    }
    return place;
}

void Topology::bind_thread(int cpu) const {
    const auto unit = find_unit(topology_.get(), cpu);
    check(hwloc_set_cpubind(topology_.get(), unit->cpuset, HWLOC_CPUBIND_THREAD),
          fmt::format("pin to CPU {}", cpu).c_str());
}

std::span<std::byte> Topology::allocate_near(int cpu, size_t bytes) const {
    if (bytes == 0) return {};
    const auto unit = find_unit(topology_.get(), cpu);
    // Without the STRICT flag an unbindable system still gives ordinary memory.
    const size_t room = (bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
    const size_t whole = room + huge_page_bytes;
    void* memory = hwloc_alloc_membind(topology_.get(), whole, unit->nodeset, HWLOC_MEMBIND_BIND,
                                       HWLOC_MEMBIND_BYNODESET);
    if (!memory) throw base::system_error(fmt::format("allocate {} bytes", bytes));
    size_t left = whole;
    void* aligned = std::align(huge_page_bytes, room, memory, left);
    madvise(aligned, room, MADV_HUGEPAGE); // a wish
    return {static_cast<std::byte*>(aligned), bytes};
}

base::CpuList unreserved(base::CpuList cpus, const base::Root& root) {
    for (const auto* name : {"isolated", "nohz_full"}) {
        const auto text =
            root.read_line(fmt::format("/sys/devices/system/cpu/{}", name)).value_or("");
        const auto list = base::trim(text);
        if (list == "(null)") continue; // so says nohz_full where it is not in use
        const auto reserved = base::parse_cpu_list(list);
        std::erase_if(cpus, [&](int cpu) {
            return std::binary_search(reserved.begin(), reserved.end(), cpu);
        });
    }
    return cpus;
}

WorkingSetChoice WorkingSetChoice::parse(const std::string& text) {
    if (text == "none") return {.cache_level = std::nullopt, .bytes = 0};
    if (text == "l1" || text == "l2" || text == "l3") return {.cache_level = text[1] - '0'};
    try {
        return {.cache_level = std::nullopt, .bytes = static_cast<size_t>(base::parse_size(text))};
    } catch (const base::UsageError&) {
        throw base::UsageError(
            fmt::format("--working-set: '{}' is not none, l1, l2, l3 or a size like 512K", text));
    }
}

std::string WorkingSetChoice::text() const {
    if (cache_level) return fmt::format("l{}", *cache_level);
    return bytes == 0 ? "none" : fmt::format("{}", bytes);
}

WorkingSetSize working_set_size(const CpuPlace& place, const WorkingSetChoice& choice) {
    WorkingSetSize size{.bytes = choice.bytes};
    if (choice.cache_level) {
        const auto cache = place.cache_share_bytes.find(*choice.cache_level);
        const bool known = cache != place.cache_share_bytes.end() && cache->second > 0;
        size.bytes = (known ? cache->second : default_bytes(*choice.cache_level)) / 2;
        if (!known) size.note = fmt::format("the size of L{} is unknown", *choice.cache_level);
    }
    if (size.bytes > most_bytes) {
        size.note =
            fmt::format("{} MiB asked for, capped at {} MiB", size.bytes >> 20, most_bytes >> 20);
        size.bytes = most_bytes;
    }
    size.bytes -= size.bytes % sizeof(WorkingSet::Line);
    return size;
}

} // namespace soak
