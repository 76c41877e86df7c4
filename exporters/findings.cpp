#include "exporters/findings.h"

#include "base/text.h"
#include "exporters/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace exporters {
namespace {

using base::Finding;
using base::Severity;
using Json = nlohmann::ordered_json;

/// How a severity is told: its key in a report and its heading on a screen.
struct Told {
    Severity severity;
    const char* key;
    const char* plural;
    const char* heading;
    Tone tone;
};

constexpr std::array<Told, 4> told{{
    {Severity::bad, "bad", "bad", "Spoils a measurement", Tone::bad},
    {Severity::warning, "warning", "warnings", "Can spoil a measurement", Tone::warning},
    {Severity::note, "note", "notes", "Good to know", Tone::plain},
    {Severity::good, "good", "good", "As it should be", Tone::good},
}};

const Told& telling(Severity severity) {
    return *std::find_if(told.begin(), told.end(),
                         [&](const Told& entry) { return entry.severity == severity; });
}

/// "1 bad, 2 warnings, 9 notes, 17 good".
std::string count(const base::Findings& findings) {
    std::vector<std::string> counts;
    for (const Told& how : told) {
        const auto number = std::count_if(findings.begin(), findings.end(), [&](const Finding& f) {
            return f.severity == how.severity;
        });
        counts.push_back(fmt::format("{} {}", number, number == 1 ? how.key : how.plural));
    }
    return fmt::format("{}", fmt::join(counts, ", "));
}

void write_finding(Screen& screen, const Finding& finding, Tone tone) {
    screen.label(finding.id, tone);
    screen.text(finding.what + " " + finding.effect, 4);
    for (const auto line : base::lines(finding.advice))
        screen.text("$ " + std::string(line), 6);
}

} // namespace

void write_findings(std::ostream& out, const base::Findings& findings,
                    const ScreenOptions& options) {
    Screen screen(out, options);
    screen.text(count(findings), 0);
    const Finding* last = nullptr;
    for (const Finding& finding : findings) {
        const Told& how = telling(finding.severity);
        if (!last || last->severity != finding.severity) screen.heading(how.heading);
        write_finding(screen, finding, how.tone);
        last = &finding;
    }
}

void write_findings_json(std::ostream& out, const base::Findings& findings,
                         const std::map<std::string, double>& measured) {
    auto json = make_json_head();
    json["findings"] = Json::array();
    for (const Finding& finding : findings) {
        Json entry{{"id", finding.id},
                   {"severity", telling(finding.severity).key},
                   {"what", finding.what},
                   {"effect", finding.effect}};
        if (!finding.advice.empty()) entry["advice"] = finding.advice;
        json["findings"].push_back(std::move(entry));
    }
    json["measured"] = measured;
    // A machine's own names need not be UTF-8.
    out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace exporters
