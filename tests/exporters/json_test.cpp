#include "base/error.h"
#include "base/files.h"
#include "exporters/csv.h"
#include "exporters/json.h"
#include "exporters/quantities.h"
#include "tests/exporters/documented.h"
#include "tests/exporters/full_report.h"
#include "tests/exporters/golden.h"

#include <gmock/gmock.h>

#include <set>

namespace {

using exporters::make_json;
using exporters::parse_reports;
using Json = nlohmann::ordered_json;

std::string written(const std::vector<demand::Report>& reports) {
    std::ostringstream out;
    exporters::write_json(out, reports);
    return out.str();
}

demand::Report read_back(const std::string& text) { return parse_reports(text, "r.json").at(0); }

std::string refusal(const std::string& text) {
    try {
        parse_reports(text, "r.json");
    } catch (const base::ParseError& error) {
        return error.what();
    }
    return "";
}

TEST(Json, of_a_full_report) {
    Json json = Json::parse(written({full_report(1, 2)}));
    EXPECT_EQ(json["cyclesoak"], CYCLESOAK_VERSION);
    json["cyclesoak"] = "VERSION";
    expect_golden("report.json", rounded(json.dump(2) + "\n"));
}

TEST(Json, leaves_out_what_is_not_known) {
    demand::Report report;
    report.cpus.push_back({});
    const Json json = make_json(report);
    EXPECT_EQ(json["cpus"][0].dump(), R"({"cpu":0})");
    EXPECT_FALSE(json.contains("perturbation"));
    EXPECT_FALSE(json.contains("benchmark"));
    EXPECT_FALSE(json.contains("yielding"));
    EXPECT_FALSE(json["work"].contains("bytes"));
    EXPECT_TRUE(json["warnings"].is_array());
}

TEST(Json, times_add_up_to_a_nanosecond) {
    const Json json = Json::parse(written({full_report()}));
    for (const Json& cpu : json["cpus"]) {
        double causes = 0;
        for (const auto& [name, seconds] : cpu["causes"].items())
            causes += seconds.get<double>();
        const double stolen = cpu["stolen_seconds"];
        EXPECT_NEAR(causes, stolen, 1e-9);
        EXPECT_NEAR(stolen + cpu["own_seconds"].get<double>() + cpu["soaked_seconds"].get<double>(),
                    cpu["soaked_phase_seconds"].get<double>(), 1e-9);
    }
}

TEST(Json, is_read_back_as_it_was_written) {
    const std::string text = written({full_report()});
    EXPECT_EQ(written({read_back(text)}), text);
    EXPECT_EQ(read_back(text).cpus.at(1).soaked->cpu, 1);
}

TEST(Json, of_a_poor_report_is_read_back_too) {
    auto report = demand::make_report({});
    report.cpus.push_back({});
    EXPECT_EQ(written({read_back(written({report}))}), written({report}));
}

TEST(Json, of_an_other_end_that_was_not_heard_is_read_back_too) {
    auto measurement = full_measurement();
    measurement.peer = demand::PeerMeasurement{.address = "bench2:12001", .failure = "it is gone"};
    const std::string text = written({demand::make_report(measurement)});
    EXPECT_EQ(Json::parse(text)["peer"]["absent"], "it is gone");
    EXPECT_EQ(written({read_back(text)}), text);
}

TEST(Json, of_several_runs) {
    const std::string text = written({full_report(1, 2), full_report(2, 3)});
    EXPECT_EQ(Json::parse(text)["runs"].size(), 2u);
    EXPECT_EQ(written(parse_reports(text, "r.json")), text);
}

TEST(Json, keeps_a_report_with_texts_that_are_not_utf8) {
    auto report = full_report(1, 2);
    report.benchmark->command.emplace_back("\xff");
    EXPECT_NO_THROW(read_back(written({report})));
}

TEST(Json, skips_keys_it_does_not_know) {
    Json json = make_json(full_report(1, 2));
    json["cpus"][0]["temperature"] = 50;
    EXPECT_NO_THROW(read_back(json.dump()));
}

TEST(Json, refuses_what_is_no_report) {
    EXPECT_THAT(refusal("{\n\n{"), testing::HasSubstr("r.json:3"));
    EXPECT_THAT(refusal(""), testing::HasSubstr("not valid JSON"));
    EXPECT_THAT(refusal("[1]"), testing::HasSubstr("not a report"));
    EXPECT_THAT(refusal(R"({"end": {}})"), testing::HasSubstr("not a report"));
    EXPECT_THAT(refusal(R"({"schema": 1})"), testing::HasSubstr("\"seconds\" is missing"));
    EXPECT_THAT(refusal(R"({"schema": 1, "runs": 3})"), testing::HasSubstr("not a report"));
}

TEST(Json, refuses_a_later_schema) {
    Json json = make_json(full_report(1, 2));
    json["schema"] = 2;
    EXPECT_THAT(refusal(json.dump()), testing::HasSubstr("schema 2"));
}

TEST(Json, refuses_damage_and_says_where) {
    const auto damaged = [](const std::string& pointer, const Json& value) {
        Json json = make_json(full_report(1, 2));
        json[Json::json_pointer(pointer)] = value;
        return refusal(json.dump());
    };
    EXPECT_THAT(damaged("/cpus/0/causes/tasks", "1"),
                testing::AllOf(testing::HasSubstr("\"cpus\""), testing::HasSubstr("\"causes\""),
                               testing::HasSubstr("\"tasks\""), testing::HasSubstr("number")));
    EXPECT_THAT(damaged("/phases/0/kind", "wet"), testing::HasSubstr("soaked or free"));
    EXPECT_THAT(damaged("/seconds", 1e300), testing::HasSubstr("no time"));
    EXPECT_THAT(damaged("/demand", 3), testing::HasSubstr("array"));
    EXPECT_THAT(damaged("/cpus/0/cpu", 0.5), testing::HasSubstr("whole number"));
    EXPECT_THAT(damaged("/cpus/0/cpu", 1e12), testing::HasSubstr("whole number"));
    EXPECT_THAT(damaged("/work", nullptr), testing::HasSubstr("object"));
    EXPECT_THAT(damaged("/settings", 3), testing::HasSubstr("object"));
    EXPECT_THAT(damaged("/yielding", 3), testing::HasSubstr("text"));
    const std::string work = "/work";
    EXPECT_THAT(damaged(work + "/complete", 3), testing::HasSubstr("true or false"));
}

TEST(Json, every_key_is_in_the_documentation) {
    const Json json = make_json(full_report());
    EXPECT_GT(keys_of(json).size(), 80u);
    expect_documented(json);
}

TEST(Json, every_quantity_of_a_cpu_is_in_the_list_of_quantities) {
    Json cpu = make_json(full_report())["cpus"][0];
    cpu.update(Json(cpu["causes"]));
    cpu.erase("causes");
    cpu.erase("cpu");
    for (const auto& [key, value] : cpu.items())
        EXPECT_NO_THROW(exporters::quantity(key)) << key;
    EXPECT_EQ(cpu.size(), exporters::quantities().size());
    EXPECT_THROW(exporters::quantity("temperature"), std::out_of_range);
}

TEST(Csv, of_a_full_report) {
    std::ostringstream out;
    exporters::write_csv(out, {full_report(1, 6), full_report(2, 6)});
    expect_golden("report.csv", rounded(out.str()));
}

TEST(Csv, every_key_of_its_rows_is_a_column) {
    std::ostringstream header;
    exporters::write_csv_header(header);
    const std::string columns = "," + header.str().substr(0, header.str().size() - 1) + ",";
    const Json json = make_json(full_report());
    for (const Json& row : {json["cpus"][0], json["demand"][0], json["perturbation"]}) {
        for (const auto& [key, value] : row.items()) {
            if (!value.is_object()) {
                EXPECT_NE(columns.find("," + key + ","), std::string::npos) << key;
                continue;
            }
            for (const auto& [inner, number] : value.items())
                EXPECT_NE(columns.find("," + key + "." + inner + ","), std::string::npos) << inner;
        }
    }
}

TEST(Csv, quotes_what_has_commas) {
    auto report = full_report(1, 2);
    report.demands[0].source = "a, \"b\"";
    std::ostringstream out;
    exporters::write_csv_rows(out, report);
    EXPECT_THAT(out.str(), testing::HasSubstr(",\"a, \"\"b\"\"\","));
}

} // namespace
