#include "commands/bulletin.h"

#include "exporters/totals_json.h"
#include "exporters/totals_metrics.h"

namespace commands {
namespace {

using agent::Reply;

constexpr auto html = "text/html; charset=utf-8";
constexpr auto prometheus_text = "text/plain; version=0.0.4; charset=utf-8";

constexpr auto landing_page = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>cyclesoak agent</title>
</head>
<body>
<h1>cyclesoak agent</h1>
<p>What this host's network traffic costs in CPU time. Version )" CYCLESOAK_VERSION R"(.</p>
<ul>
<li><a href="/metrics">/metrics</a>: everything, for Prometheus</li>
<li><a href="/api/v1/totals">/api/v1/totals</a>, <a href="/api/v1/windows">/api/v1/windows</a>: the same,
and the latest windows, as JSON</li>
<li><a href="/-/healthy">/-/healthy</a>, <a href="/-/ready">/-/ready</a>: for whoever watches it</li>
</ul>
</body>
</html>
)";

Reply text_reply(const std::string& text, int status = 200) {
    return {.status = status, .body = std::make_shared<const std::string>(text)};
}

Reply not_yet() { return text_reply("not yet\n", 503); }

Reply json_reply(const demand::PublishedTotals& totals,
                 std::string (*make)(const demand::Totals&, base::Nanoseconds)) {
    if (!totals) return not_yet();
    return {.type = "application/json",
            .body = std::make_shared<const std::string>(make(*totals, base::monotonic_raw_now()))};
}

} // namespace

void Bulletin::publish(demand::PublishedTotals totals) {
    auto raised = std::make_shared<demand::Totals>(*totals);
    high_water_.raise(*raised);
    const std::lock_guard lock(mutex_);
    totals_ = std::move(totals);
    raised_ = std::move(raised);
    metrics_.reset();
}

void Bulletin::set_per_cpu(std::optional<bool> per_cpu) {
    const std::lock_guard lock(mutex_);
    per_cpu_ = per_cpu;
    metrics_.reset();
}

demand::PublishedTotals Bulletin::latest() const {
    const std::lock_guard lock(mutex_);
    return totals_;
}

std::shared_ptr<const std::string> Bulletin::metrics() {
    const std::lock_guard lock(mutex_);
    if (!metrics_ && raised_)
        metrics_ = std::make_shared<const std::string>(exporters::make_metrics(raised_, per_cpu_));
    return metrics_;
}

std::map<std::string, agent::Handler> Bulletin::paths() {
    return {
        {"/",
         [] {
             return Reply{.type = html, .body = std::make_shared<const std::string>(landing_page)};
         }},
        {"/metrics",
         [this] {
             const auto text = metrics();
             return text ? Reply{.type = prometheus_text, .body = text} : not_yet();
         }},
        {"/api/v1/totals", [this] { return json_reply(latest(), exporters::make_totals); }},
        {"/api/v1/windows", [this] { return json_reply(latest(), exporters::make_windows); }},
        {"/-/healthy", [] { return text_reply("healthy\n"); }},
        {"/-/ready", [this] { return latest() ? text_reply("ready\n") : not_yet(); }},
    };
}

} // namespace commands
