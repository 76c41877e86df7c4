#include "exporters/metric_families.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <prometheus/text_serializer.h>
#include <sstream>
#include <utility>

namespace exporters {
namespace {

bool is_utf8(const std::string& text) {
    try {
        (void)nlohmann::json(text).dump();
        return true;
    } catch (const nlohmann::json::exception&) {
        return false;
    }
}

/// Prometheus refuses all metrics if one text is not UTF-8. Bytes are told in a way that keeps two
/// texts different: two equal series would be refused as well.
std::string in_utf8(const std::string& text) {
    if (is_utf8(text)) return text;
    std::string result;
    for (const char byte : text) {
        const auto number = static_cast<unsigned char>(byte);
        result += number < 128 ? std::string(1, byte) : fmt::format("\\x{:02x}", number);
    }
    return result;
}

bool fits_label(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
}

Labels presentable(Labels labels) {
    for (auto& [name, text] : labels) {
        std::replace_if(
            name.begin(), name.end(), [](char byte) { return !fits_label(byte); }, '_');
        text = in_utf8(text);
    }
    return labels;
}

} // namespace

std::vector<prometheus::ClientMetric>& MetricFamilies::series_of(const Metric& metric) {
    if (families_.empty() || families_.back().name != metric.name) {
        families_.push_back({std::string(metric.name), std::string(metric.help), metric.type, {}});
        labels_.clear();
    }
    return families_.back().metric;
}

void MetricFamilies::add(const Metric& metric, const Labels& labels, std::optional<double> value) {
    if (!value) return;
    auto& all = series_of(metric);
    const auto [entry, is_new] = labels_.insert(presentable(labels));
    if (!is_new) return;
    auto& series = all.emplace_back(prometheus::ClientMetric{.label = *entry});
    if (metric.type == prometheus::MetricType::Counter)
        series.counter.value = *value;
    else
        series.gauge.value = *value;
}

void MetricFamilies::add(const Metric& metric, prometheus::ClientMetric::Histogram histogram) {
    series_of(metric).emplace_back().histogram = std::move(histogram);
}

std::string to_text(const std::vector<prometheus::MetricFamily>& families) {
    std::ostringstream text;
    prometheus::TextSerializer().Serialize(text, families);
    return text.str();
}

} // namespace exporters
