#pragma once

#include "base/text.h"
#include "tests/program/program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

/// The real agent, on a port of its own of 127.0.0.1, until the destructor.
class RunningAgent {
  public:
    explicit RunningAgent(std::vector<std::string> options = {},
                          const program::Options& surroundings = {})
        : running_(arguments(std::move(options)), surroundings) {
        EXPECT_TRUE(running_.says("serving ")) << running_.so_far().err;
        EXPECT_TRUE(running_.says("\n"));
        const auto& log = running_.so_far().err;
        const auto begin = log.find("serving ") + std::string("serving ").size();
        address_ = log.substr(begin, log.find_first_of(", \n", begin) - begin);
    }

    program::Running& running() { return running_; }
    const std::string& address() const { return address_; }

    /// By curl, with these options beside.
    program::Ended curl(const std::string& page, std::vector<std::string> options = {},
                        const std::string& scheme = "http") const {
        options.insert(options.end(),
                       {"-sS", "--max-time", "10", scheme + "://" + address_ + page});
        return program::run(options, {.program = "curl"});
    }
    std::string get(const std::string& page) const {
        const auto ended = curl(page, {"--fail"});
        EXPECT_EQ(ended.exit_status, 0) << ended.err;
        return ended.out;
    }
    nlohmann::json totals() const { return nlohmann::json::parse(get("/api/v1/totals")); }

    /// Asks until `fits` says so of the totals; false after two minutes.
    template <typename Fits>
    bool comes_to(Fits&& fits) const {
        for (int tries = 0; tries < 480; ++tries) {
            const auto ended = curl("/api/v1/totals", {"--fail"});
            if (ended.exit_status == 0 && fits(nlohmann::json::parse(ended.out))) return true;
            program::run({"0.25"}, {.program = "sleep"});
        }
        return false;
    }
    bool has_windows(int more_than = 0) const {
        return comes_to([&](const auto& totals) { return totals.at("windows_kept") > more_than; });
    }

  private:
    static std::vector<std::string> arguments(std::vector<std::string> options) {
        std::vector<std::string> all{"agent", "--duty", "20%"};
        if (std::find(options.begin(), options.end(), "--listen") == options.end())
            all.insert(all.end(), {"--listen", "127.0.0.1:0"});
        all.insert(all.end(), options.begin(), options.end());
        return all;
    }

    program::Running running_;
    std::string address_;
};
