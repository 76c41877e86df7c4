#include "commands/metrics_output.h"

#include "base/error.h"
#include "base/files.h"
#include "exporters/run_metrics.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <functional>
#include <unistd.h>

namespace commands {
namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

bool succeeds(const char* option, const std::function<void()>& action) {
    try {
        action();
        return true;
    } catch (const std::exception& error) {
        fmt::print(stderr, "cyclesoak: {}: {}\n", option, error.what());
        return false;
    }
}

} // namespace

MetricsOutput::MetricsOutput(const MetricsOptions& options) : options_(options) {
    if (!options.pushgateway) return;
    try {
        gateway_.emplace(*options.pushgateway, options.push_job, host_name());
    } catch (const base::UsageError& error) {
        throw base::UsageError(fmt::format("--pushgateway, --push-job: {}", error.what()));
    }
}

bool MetricsOutput::write(const std::vector<demand::Report>& reports) const {
    if (!options_.textfile && !gateway_) return true;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto text =
        exporters::make_run_metrics(reports, std::chrono::duration<double>(now).count());
    bool all = true;
    if (options_.textfile)
        all = succeeds("--textfile", [&] { base::replace_file(*options_.textfile, text); });
    if (gateway_) all = succeeds("--pushgateway", [&] { gateway_->push(text); }) && all;
    return all;
}

} // namespace commands
