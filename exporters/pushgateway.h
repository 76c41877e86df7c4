#pragma once

#include <string>

namespace exporters {

/// A group of metrics in a pushgateway.
class PushTarget {
  public:
    /// `url`: where the gateway is, "http://host:9091" or "https://user:password@host/prefix".
    /// `instance`: which machine this is; empty: not told. Throws base::UsageError for what cannot
    /// be.
    PushTarget(const std::string& url, const std::string& job, const std::string& instance);

    /// Puts these metrics in the place of the group's. Takes 5 s at most. Throws
    /// std::runtime_error with address and reason, in one line.
    void push(const std::string& metrics) const;

    /// Without name and password.
    const std::string& address() const { return address_; }

  private:
    std::string url_, address_;
};

} // namespace exporters
