#include "demand/apportion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace demand {
namespace {

/// A count that grows with the work, by load phase and over the whole load.
struct Proxy {
    std::string name;
    double total = 0;
    std::vector<std::optional<double>> phases, first_quarters;
};

using Devices = std::vector<probes::DeviceCounters>;
using Phases = std::vector<const Phase*>;

Phases load_phases(const Measurement& measurement) {
    Phases result;
    for (const Phase& phase : measurement.phases)
        if (phase.stage == Stage::load) result.push_back(&phase);
    return result;
}

/// Those of `devices` that are in `names`; none unless all are there.
Devices find(const Devices& devices, const std::vector<std::string>& names) {
    Devices found;
    for (const probes::DeviceCounters& device : devices)
        if (std::find(names.begin(), names.end(), device.name) != names.end())
            found.push_back(device);
    return found.size() == names.size() ? found : Devices{};
}

std::vector<std::string> busiest(const Devices& devices) {
    const auto most =
        std::max_element(devices.begin(), devices.end(),
                         [](const auto& a, const auto& b) { return a.packets() < b.packets(); });
    if (most == devices.end() || most->packets() == 0) return {};
    return {most->name};
}

using Count = uint64_t (probes::DeviceCounters::*)() const;

std::optional<double> count(const Devices& devices, Count counted) {
    if (devices.empty()) return {};
    return std::accumulate(devices.begin(), devices.end(), 0.0,
                           [&](double sum, const probes::DeviceCounters& device) {
                               return sum + static_cast<double>((device.*counted)());
                           });
}

Proxy device_proxy(const Measurement& measurement, const std::vector<std::string>& names,
                   const std::string& what, Count counted) {
    Proxy proxy{.name = fmt::format("{} {}", fmt::join(names, "+"), what),
                .total = count(find(measurement.load.devices, names), counted).value_or(0),
                .phases = {},
                .first_quarters = {}};
    const auto counts = [&](const probes::Counters& counters) {
        return count(find(counters.devices, names), counted);
    };
    for (const Phase* phase : load_phases(measurement)) {
        proxy.phases.push_back(counts(phase->counters));
        proxy.first_quarters.push_back(counts(phase->first_quarter.value_or(probes::Counters{})));
    }
    return proxy;
}

Proxy time_proxy(const Measurement& measurement) {
    Proxy proxy{.name = "time",
                .total = base::to_seconds(measurement.elapsed),
                .phases = {},
                .first_quarters = {}};
    for (const Phase* phase : load_phases(measurement))
        proxy.phases.emplace_back(base::to_seconds(phase->elapsed));
    return proxy;
}

bool one_kind(const Phases& phases) {
    return std::all_of(phases.begin(), phases.end(),
                       [&](const Phase* phase) { return phase->kind == phases.front()->kind; });
}

/// Counts and seconds of a pair, or of a phase that has no partner.
struct Moved {
    double counts = 0, seconds = 0;
    size_t phases = 0;
    bool throughout = true; ///< the load ran all the time
};

std::vector<Moved> by_pair(const Phases& phases, const Proxy& proxy) {
    double fastest = 0;
    for (size_t i = 0; i < phases.size(); ++i)
        fastest =
            std::max(fastest, proxy.phases[i].value_or(0) / base::to_seconds(phases[i]->elapsed));
    std::vector<Moved> result;
    for (size_t i = 0; i < phases.size(); ++i) {
        if (i == 0 || one_kind(phases) || phases[i]->pair != phases[i - 1]->pair)
            result.emplace_back();
        const double seconds = base::to_seconds(phases[i]->elapsed);
        const double counts = proxy.phases[i].value_or(0);
        Moved& pair = result.back();
        ++pair.phases;
        pair.counts += counts;
        pair.seconds += seconds;
        // Connecting moves some packets too; a hundredth tells it from the load.
        pair.throughout = pair.throughout && counts >= fastest * seconds / 100;
    }
    return result;
}

/// Counts per second while the load ran. Half a pair would give one kind of phase more weight than
/// it has. The load may begin and end within a pair, so the first and the last one are left out
/// where others remain.
double running_rate(const Phases& phases, const Proxy& proxy) {
    std::vector<Moved> pairs = by_pair(phases, proxy);
    const size_t whole = one_kind(phases) ? 1 : 2;
    std::erase_if(pairs,
                  [&](const Moved& pair) { return !pair.throughout || pair.phases != whole; });
    if (pairs.size() > 2) pairs = {pairs.begin() + 1, pairs.end() - 1};
    Moved sum;
    for (const Moved& pair : pairs) {
        sum.counts += pair.counts;
        sum.seconds += pair.seconds;
    }
    return sum.seconds > 0 ? sum.counts / sum.seconds : 0;
}

std::map<std::string, double> totals(const base::Work& work) {
    std::map<std::string, double> result = work.units;
    if (work.bytes) result["byte"] = *work.bytes;
    if (work.packets) result["packet"] = *work.packets;
    if (work.transactions) result["transaction"] = *work.transactions;
    return result;
}

std::string main_unit(const base::Work& work) {
    if (work.transactions) return "transaction";
    if (!work.units.empty()) return work.units.begin()->first;
    if (work.packets) return "packet";
    return work.bytes ? "byte" : "";
}

/// Did at least a tenth of the work cross the devices? If not, their counts are other traffic.
/// (A hundredth of the packets: with segmentation offload a device handles up to 64 at once.)
bool explains(const Proxy& bytes, const Proxy& packets, const base::Work& work,
              Nanoseconds elapsed) {
    const double all =
        work.complete || !work.seconds ? 1 : base::to_seconds(elapsed) / *work.seconds;
    return packets.total > 0 && bytes.total >= work.bytes.value_or(0) * all / 10 &&
           packets.total >= work.packets.value_or(0) * all / 100 &&
           packets.total >= work.transactions.value_or(0) * all / 10;
}

class Apportioner {
  public:
    explicit Apportioner(const Measurement& measurement)
        : measurement_(measurement), phases_(load_phases(measurement)) {
        result_.shares.resize(phases_.size());
    }

    Apportionment apportion() {
        take_work();
        take_devices();
        if (!packets_.name.empty())
            by_device();
        else if (!result_.work.source.empty())
            by_time();
        finish();
        return std::move(result_);
    }

  private:
    void warn(const std::string& id, const std::string& text) {
        result_.warnings.push_back({.id = id, .text = text});
    }

    void take_work() {
        if (!measurement_.work) return;
        const base::Work& work = *measurement_.work;
        if (!work.complete && work.seconds.value_or(0) <= 0)
            warn("partial-work", fmt::format("{} does not say what time its figures cover; they "
                                             "are not used.",
                                             work.source));
        else
            result_.work = work;
    }

    void take_devices() {
        const bool named = !measurement_.devices.empty();
        const auto names = named ? measurement_.devices : busiest(measurement_.load.devices);
        if (named && find(measurement_.load.devices, names).empty())
            warn("no-device", fmt::format("Not every device of {} was there all the time; its "
                                          "counters are not used.",
                                          fmt::join(names, ", ")));
        if (names.empty()) return;
        Proxy packets =
            device_proxy(measurement_, names, "packets", &probes::DeviceCounters::packets);
        Proxy bytes = device_proxy(measurement_, names, "bytes", &probes::DeviceCounters::bytes);
        const bool enough = named ? packets.total > 0
                                  : explains(bytes, packets, result_.work, measurement_.elapsed);
        if (!enough) return;
        note_devices(names);
        packets_ = std::move(packets);
        bytes_ = std::move(bytes);
    }

    void note_devices(const std::vector<std::string>& names) {
        result_.packet = "frame of a NIC, or socket buffer of a virtual device";
        for (const auto& device : find(measurement_.load.devices, names))
            if (device.loopback) {
                result_.packet = "socket buffer of up to 64 KB";
                warn("loopback-both-ends", fmt::format("The traffic crossed {}: sender and "
                                                       "receiver are both on the bill.",
                                                       device.name));
            }
    }

    void by_device() {
        result_.proxy_packets = packets_.total;
        result_.proxy_bytes = bytes_.total;
        for (size_t i = 0; i < phases_.size(); ++i) {
            result_.shares[i].packets = packets_.phases[i];
            result_.shares[i].bytes = bytes_.phases[i];
        }
        const std::string counters =
            packets_.name.substr(0, packets_.name.rfind(' ')) + " counters";
        base::Work counted{.source = counters,
                           .seconds = base::to_seconds(measurement_.elapsed),
                           .bytes = bytes_.total,
                           .packets = packets_.total,
                           .transactions = {},
                           .units = {}};
        if (totals(result_.work).empty()) {
            result_.work = counted;
        } else if (!result_.work.packets) { // what the tool does not count, the device does
            counted.bytes.reset();
            share_out(counted, packets_, bytes_);
        }
        share_out(result_.work, packets_, bytes_);
        result_.unit = main_unit(result_.work);
        const Proxy& proxy = result_.unit == "byte" ? bytes_ : packets_;
        result_.proxy = proxy.name;
        for (size_t i = 0; i < phases_.size(); ++i)
            if (proxy.phases[i] && proxy.first_quarters[i])
                result_.shares[i].first_quarter = {
                    .counts = *proxy.first_quarters[i],
                    .seconds = base::to_seconds(phases_[i]->first_quarter->time),
                    .all_counts = *proxy.phases[i]};
    }

    void by_time() {
        if (phases_.empty()) return;
        if (!one_kind(phases_)) {
            warn("no-work-counter", "No device counted this load's work, so it cannot be told how "
                                    "much of it fell into which phase. Measure with --continuous "
                                    "or --free, or name the device with -i.");
            return;
        }
        const Proxy time = time_proxy(measurement_);
        share_out(result_.work, time, time);
        result_.unit = main_unit(result_.work);
        result_.proxy = time.name;
    }

    void share_out(const base::Work& work, const Proxy& packets, const Proxy& bytes) {
        for (const auto& [unit, total] : totals(work)) {
            const Proxy& proxy = unit == "byte" ? bytes : packets;
            const double rate = work.complete ? proxy.total : running_rate(phases_, proxy);
            const double units = work.complete ? total : total / *work.seconds;
            result_.sources[unit] = work.source;
            if (rate <= 0) continue;
            result_.totals[unit] = units * proxy.total / rate;
            for (size_t i = 0; i < phases_.size(); ++i)
                if (proxy.phases[i])
                    result_.shares[i].units[unit] = units * *proxy.phases[i] / rate;
        }
    }

    void finish() {
        const auto all = totals(result_.work);
        const bool some =
            std::any_of(all.begin(), all.end(), [](const auto& unit) { return unit.second > 0; });
        if (!some)
            warn("no-work", "No work was counted while the load ran, so there is no CPU time per "
                            "unit. Name the device with -i, or let the benchmark print its "
                            "result in a form that is understood (--parser).");
    }

    const Measurement& measurement_;
    Phases phases_;
    Apportionment result_;
    Proxy packets_, bytes_; // without a name: no device counts this work
};

} // namespace

Apportionment apportion(const Measurement& measurement) {
    return Apportioner(measurement).apportion();
}

} // namespace demand
