#include "commands/bulletin.h"

#include "exporters/history_json.h"
#include "exporters/totals_json.h"
#include "exporters/totals_metrics.h"
#include "page/assets.h"

namespace commands {
namespace {

using agent::Reply;

constexpr auto prometheus_text = "text/plain; version=0.0.4; charset=utf-8";

Reply text_reply(const std::string& text, int status = 200) {
    return {.status = status, .body = std::make_shared<const std::string>(text)};
}

Reply not_yet() { return text_reply("not yet\n", 503); }

template <typename Make>
Reply json_reply(const demand::PublishedTotals& totals, Make make) {
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
    history_.add(raised);
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

/// An hour is not written while the agent waits to publish: the steps are shared.
Reply Bulletin::history() const {
    std::unique_lock lock(mutex_);
    const auto totals = raised_;
    const auto steps = history_.steps();
    lock.unlock();
    return json_reply(
        totals, [&](const auto& of, auto now) { return exporters::make_history(steps, of, now); });
}

std::map<std::string, agent::Handler> Bulletin::paths() {
    std::map<std::string, agent::Handler> paths{
        {"/metrics",
         [this] {
             const auto text = metrics();
             return text ? Reply{.type = prometheus_text, .body = text} : not_yet();
         }},
        {"/api/v1/history", [this] { return history(); }},
        {"/api/v1/totals", [this] { return json_reply(latest(), exporters::make_totals); }},
        {"/api/v1/windows", [this] { return json_reply(latest(), exporters::make_windows); }},
        {"/-/healthy", [] { return text_reply("healthy\n"); }},
        {"/-/ready", [this] { return latest() ? text_reply("ready\n") : not_yet(); }},
    };
    for (const auto& asset : page::assets())
        paths[std::string(asset.path)] = [reply = Reply{.type = std::string(asset.type),
                                                        .body = std::make_shared<const std::string>(
                                                            asset.text)}] { return reply; };
    return paths;
}

} // namespace commands
