#include "exporters/watch.h"

#include "exporters/csv.h"
#include "exporters/json.h"
#include "exporters/numbers.h"

#include <fmt/ostream.h>

#include <algorithm>

namespace exporters {
namespace {

using soak::CpuWindow;

double ratio(base::Nanoseconds part, base::Nanoseconds whole) {
    return whole.count() > 0 ? base::to_seconds(part) / base::to_seconds(whole) : 0;
}

demand::Report make_report(const std::vector<CpuWindow>& windows) {
    demand::Report report;
    for (const CpuWindow& window : windows) {
        report.elapsed = std::max(report.elapsed, window.elapsed);
        demand::CpuReport& cpu = report.cpus.emplace_back();
        cpu.cpu = window.cpu;
        cpu.soaked = window;
    }
    return report;
}

} // namespace

double free_ratio(const CpuWindow& window) {
    return ratio(window.elapsed - window.stolen, window.elapsed);
}

void write_watch_line(std::ostream& out, const std::vector<CpuWindow>& windows) {
    base::Nanoseconds stolen{}, elapsed{};
    for (const CpuWindow& window : windows) {
        stolen += window.stolen;
        elapsed += window.elapsed;
    }
    fmt::print(out, "System load:{:5.1f}% || Free:", ratio(stolen, elapsed) * 100);
    for (const CpuWindow& window : windows)
        fmt::print(out, " {:5.1f}%({})", free_ratio(window) * 100, window.cpu);
    out << '\n';
}

void write_watch_causes(std::ostream& out, const std::vector<CpuWindow>& windows) {
    write_watch_line(out, windows);
    for (const CpuWindow& window : windows) {
        const auto percent = [&](base::Nanoseconds part) {
            return format_percent(ratio(part, window.elapsed));
        };
        const soak::Causes& causes = window.causes;
        fmt::print(out, "  cpu{:<3} tasks {:>5}  interrupts {:>5}", window.cpu,
                   percent(causes.tasks), percent(causes.interrupts));
        if (causes.hypervisor) fmt::print(out, "  hypervisor {:>5}", percent(*causes.hypervisor));
        fmt::print(out, "  core {:>4}  cache {:>4}  unexplained {:>4} | own {:>4}\n",
                   percent(causes.core), percent(causes.cache), percent(causes.unexplained),
                   percent(window.own));
    }
}

void write_watch_json(std::ostream& out, const std::vector<CpuWindow>& windows,
                      base::Nanoseconds elapsed) {
    auto report = make_report(windows);
    report.elapsed = elapsed;
    auto json = make_json(report);
    for (const char* key : {"phases", "work", "demand", "settings", "warnings"})
        json.erase(key);
    out << json.dump() << '\n';
}

void write_watch_csv(std::ostream& out, const std::vector<CpuWindow>& windows, int window) {
    write_csv_rows(out, make_report(windows), window);
}

} // namespace exporters
