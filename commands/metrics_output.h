#pragma once

#include "commands/options.h"
#include "demand/report.h"
#include "exporters/pushgateway.h"

#include <optional>
#include <vector>

namespace commands {

/// Finished runs as metrics, in the file and the pushgateway that the user named.
class MetricsOutput {
  public:
    /// Throws base::UsageError for a gateway that cannot be.
    explicit MetricsOutput(const MetricsOptions& options);

    /// False, after a line on stderr, if either did not get them.
    bool write(const std::vector<demand::Report>& reports) const;

  private:
    MetricsOptions options_;
    std::optional<exporters::PushTarget> gateway_;
};

} // namespace commands
