#include "soak/calibration_json.h"

namespace soak {
namespace {

Json to_json(const CpuCalibration& cpu) {
    return {{"cpu", cpu.cpu},
            {"mean_ticks", cpu.mean},
            {"spread_ticks", cpu.spread},
            {"cold_ticks", cpu.cold},
            {"line_penalty_ticks", cpu.line_penalty},
            {"nominal_ticks", cpu.limits.nominal},
            {"threshold_ticks", cpu.limits.threshold},
            {"reading_ticks", cpu.limits.reading},
            {"stolen_ratio", cpu.stolen_ratio},
            {"windows", cpu.windows}};
}

CpuCalibration parse_cpu(const Json& json, double ticks_per_ns) {
    CpuCalibration cpu;
    json.at("cpu").get_to(cpu.cpu);
    json.at("mean_ticks").get_to(cpu.mean);
    json.at("spread_ticks").get_to(cpu.spread);
    json.at("cold_ticks").get_to(cpu.cold);
    json.at("line_penalty_ticks").get_to(cpu.line_penalty);
    json.at("nominal_ticks").get_to(cpu.limits.nominal);
    json.at("threshold_ticks").get_to(cpu.limits.threshold);
    json.at("reading_ticks").get_to(cpu.limits.reading);
    json.at("stolen_ratio").get_to(cpu.stolen_ratio);
    json.at("windows").get_to(cpu.windows);
    cpu.limits.ticks_per_ns = ticks_per_ns;
    return cpu;
}

} // namespace

Json to_json(const Calibration& calibration) {
    Json json{{"ticks_per_ns", calibration.ticks_per_ns},
              {"counter", calibration.counter},
              {"doubtful", calibration.doubtful},
              {"cpus", Json::array()}};
    for (const auto& cpu : calibration.cpus)
        json["cpus"].push_back(to_json(cpu));
    return json;
}

Calibration parse_calibration(const Json& json) {
    Calibration calibration;
    json.at("ticks_per_ns").get_to(calibration.ticks_per_ns);
    json.at("counter").get_to(calibration.counter);
    calibration.doubtful = json.value("doubtful", false);
    for (const auto& cpu : json.at("cpus"))
        calibration.cpus.push_back(parse_cpu(cpu, calibration.ticks_per_ns));
    return calibration;
}

} // namespace soak
