#pragma once

#include "tests/demand/sample.h"
#include "tests/demand/sample_peer.h"

/// A report in which every key has a value.
inline demand::Measurement full_measurement(int cpus = 2, int pairs = 12) {
    demand::Measurement measurement = sample::Machine({}, cpus).measure(pairs);
    measurement.work = sample::work_of(measurement);
    measurement.work->bytes = 1e6;
    measurement.work->packets = 2e5;
    measurement.work->units["request"] = 1e4;
    for (auto& phase : measurement.phases)
        for (auto& window : phase.soaked) {
            window.causes.hypervisor = window.causes.interrupts / 4;
            window.causes.interrupts -= *window.causes.hypervisor;
        }
    measurement.benchmark =
        demand::BenchmarkReport{{"netbench", "--size", "1k"}, 0, {{"host", 0.45}}};
    measurement.peer = sample::OtherEnd().measure(measurement.elapsed);
    measurement.settings = {{"kernel", "6.1.0"}, {"governor", "performance"}};
    measurement.warnings = {{.id = "no-cgroup", .text = "No cgroup of our own."}};
    return measurement;
}

inline demand::Report full_report(int cpus = 2, int pairs = 12) {
    return demand::make_report(full_measurement(cpus, pairs));
}
