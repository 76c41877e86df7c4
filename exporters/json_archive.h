#pragma once

#include "base/time.h"
#include "demand/report.h"
#include "demand/totals.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// Writing and reading a report from one list of its keys: describe(archive, value) of each type
/// names every key once, and the archive either writes or reads it.
namespace exporters {

using Json = nlohmann::ordered_json;

/// What demand::CalibrationState is called, in its order.
inline constexpr std::array calibration_states{"good", "uncertain", "doubtful", "missing"};

/// A type that is written as an object: there is a describe() for it.
template <typename Archive, typename T>
concept Described = requires(Archive& archive, T& value) {
    describe(archive, value);
};

class JsonWriter {
  public:
    template <typename T>
    void operator()(const std::string& key, const T& value) {
        json_[key] = encode(value);
    }
    template <typename T>
    void operator()(const std::string& key, const std::optional<T>& value) {
        if (value) json_[key] = encode(*value);
    }
    /// Left out where there is nothing in it.
    template <typename T>
    void unless_empty(const std::string& key, const T& value) {
        if (!value.empty()) json_[key] = encode(value);
    }
    /// An object that has no type of its own.
    template <typename Fields>
    void object(const std::string& key, Fields fields) {
        JsonWriter inner;
        fields(inner);
        json_[key] = inner.take();
    }
    /// `fields` names the keys of `value`, which stand among our own; it always has `key`.
    template <typename T, typename Fields>
    void among(const std::string& /*key*/, const std::optional<T>& value, Fields fields) {
        if (value) fields(*value);
    }
    Json take() { return std::move(json_); }

  private:
    template <typename T>
    static Json encode(const T& value) {
        if constexpr (Described<JsonWriter, const T>) {
            JsonWriter writer;
            describe(writer, value);
            return writer.take();
        } else {
            return value;
        }
    }
    template <typename T>
    static Json encode(const std::vector<T>& values) {
        return encode_each(values);
    }
    template <typename T, size_t size>
    static Json encode(const std::array<T, size>& values) {
        return encode_each(values);
    }
    static Json encode_each(const auto& values) {
        Json array = Json::array();
        for (const auto& value : values)
            array.push_back(encode(value));
        return array;
    }
    static Json encode(base::Nanoseconds time) { return base::to_seconds(time); }
    static Json encode(demand::PhaseKind kind) {
        return kind == demand::PhaseKind::soaked ? "soaked" : "free";
    }
    static Json encode(demand::Method method) {
        return method == demand::Method::soaked ? "soaked" : "idle-time";
    }
    static Json encode(demand::CalibrationState state) {
        return calibration_states.at(static_cast<size_t>(state));
    }

    Json json_ = Json::object();
};

/// Throws std::runtime_error that names the key.
class JsonReader {
  public:
    explicit JsonReader(const Json& json) : json_(json) {
        if (!json.is_object()) throw std::runtime_error("an object is wanted");
    }

    template <typename T>
    void operator()(const std::string& key, T& value) {
        nested(key, [&](const Json& json) { decode(json, value); });
    }
    template <typename T>
    void operator()(const std::string& key, std::optional<T>& value) {
        if (json_.contains(key)) (*this)(key, value.emplace());
    }
    template <typename T>
    void unless_empty(const std::string& key, T& value) {
        if (json_.contains(key)) (*this)(key, value);
    }
    template <typename Fields>
    void object(const std::string& key, Fields fields) {
        nested(key, [&](const Json& json) {
            JsonReader inner(json);
            fields(inner);
        });
    }
    template <typename T, typename Fields>
    void among(const std::string& key, std::optional<T>& value, Fields fields) {
        if (json_.contains(key)) fields(value.emplace());
    }

  private:
    template <typename Read>
    void nested(const std::string& key, Read read) {
        const auto found = json_.find(key);
        if (found == json_.end()) throw std::runtime_error("\"" + key + "\" is missing");
        try {
            read(*found);
        } catch (const std::runtime_error& error) {
            throw std::runtime_error("in \"" + key + "\": " + error.what());
        }
    }

    template <typename T>
    static void decode(const Json& json, T& value) {
        if constexpr (Described<JsonReader, T>) {
            JsonReader reader(json);
            describe(reader, value);
        } else {
            decode_plain(json, value);
        }
    }
    template <typename T>
    static void decode(const Json& json, std::vector<T>& values) {
        if (!json.is_array()) throw std::runtime_error("an array is wanted");
        for (const Json& element : json)
            decode(element, values.emplace_back());
    }
    template <typename T>
    static void decode(const Json& json, std::map<std::string, T>& values) {
        if (!json.is_object()) throw std::runtime_error("an object is wanted");
        for (const auto& [key, element] : json.items())
            decode(element, values[key]);
    }
    template <typename T, size_t size>
    static void decode(const Json& json, std::array<T, size>& values) {
        if (!json.is_array() || json.size() != size)
            throw std::runtime_error("an array of " + std::to_string(size) + " is wanted");
        for (size_t i = 0; i < size; ++i)
            decode(json[i], values[i]);
    }
    static void decode(const Json& json, base::Nanoseconds& time) {
        double seconds = 0;
        decode_plain(json, seconds);
        constexpr double longest = 4e9; // two of them add up within 64 bits of nanoseconds
        if (std::abs(seconds) > longest) throw std::runtime_error("that is no time");
        time = base::Nanoseconds(std::llround(seconds * 1e9));
    }
    static void decode(const Json& json, demand::PhaseKind& kind) {
        kind = choose(json, "soaked", demand::PhaseKind::soaked, "free", demand::PhaseKind::free);
    }
    static void decode(const Json& json, demand::Method& method) {
        method =
            choose(json, "soaked", demand::Method::soaked, "idle-time", demand::Method::idle_time);
    }

    static void decode(const Json& json, demand::CalibrationState& state) {
        const auto found = std::find(calibration_states.begin(), calibration_states.end(), json);
        if (found == calibration_states.end())
            throw std::runtime_error("a state of calibration is wanted");
        state = static_cast<demand::CalibrationState>(found - calibration_states.begin());
    }

    template <typename T>
    static T choose(const Json& json, const char* a, T value_a, const char* b, T value_b) {
        if (json == a) return value_a;
        if (json == b) return value_b;
        throw std::runtime_error(std::string(a) + " or " + b + " is wanted");
    }

    static void decode_plain(const Json& json, std::string& value) {
        if (!json.is_string()) throw std::runtime_error("a text is wanted");
        value = json.get<std::string>();
    }
    static void decode_plain(const Json& json, bool& value) {
        if (!json.is_boolean()) throw std::runtime_error("true or false is wanted");
        value = json.get<bool>();
    }
    static void decode_plain(const Json& json, double& value) {
        if (!json.is_number()) throw std::runtime_error("a number is wanted");
        value = json.get<double>();
    }
    template <std::integral T>
    static void decode_plain(const Json& json, T& value) {
        if (!json.is_number_integer()) throw std::runtime_error("a whole number is wanted");
        value = json.get<T>();
    }

    const Json& json_;
};

/// T or const T: a thing is described for reading and for writing alike.
template <typename T, typename Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

void describe(auto& archive, Is<base::Warning> auto& warning) {
    archive("id", warning.id);
    archive("text", warning.text);
}

void describe(auto& archive, Is<soak::Causes> auto& causes) {
    archive("tasks", causes.tasks);
    archive("interrupts", causes.interrupts);
    archive("hypervisor", causes.hypervisor);
    archive("core", causes.core);
    archive("cache", causes.cache);
    archive("unexplained", causes.unexplained);
}

/// Soaked time of a CPU, in one window or in many. The CPU's number is the caller's.
void describe_window(auto& archive, Is<soak::CpuWindow> auto& window) {
    archive("soaked_phase_seconds", window.elapsed);
    archive("soaked_seconds", window.soaked);
    archive("own_seconds", window.own);
    archive("clock_stopped_seconds", window.clock_stopped);
    archive("stolen_seconds", window.stolen);
    archive("causes", window.causes);
    archive("core_share_ratio", window.core_share_ratio);
    archive("stalls", window.stalls);
    archive("throughput_blocks", window.throughput_blocks);
    archive("contended_blocks", window.contended_blocks);
}

} // namespace exporters
