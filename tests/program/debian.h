#pragma once

#include "tests/program/program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

/// Programs of others that we work with, from packages that ./dev test unpacked: never installed.
namespace debian {

inline std::string path(const std::string& package, const std::string& program) {
    const auto file = fmt::format("{}/{}/usr/bin/{}", TEST_DEBIAN, package, program);
    if (!std::filesystem::exists(file))
        throw std::runtime_error(file + " is missing; ./dev test fetches it");
    return file;
}

/// A server of the Prometheus family on a port of its own of 127.0.0.1, until the destructor.
class Server {
  public:
    Server(const std::string& package, std::vector<std::string> arguments)
        : running_(listening(std::move(arguments)), {.program = path(package, package)}) {
        // The line after that of the address.
        EXPECT_TRUE(running_.says("TLS is disabled"));
        const auto& log = running_.so_far().err;
        const std::string before = "Listening on\" address=";
        const auto begin = log.find(before) + before.size();
        url_ = "http://" + log.substr(begin, log.find_first_of(" \n", begin) - begin);
    }

    const std::string& url() const { return url_; }
    std::string get(const std::string& page) const {
        const auto ended =
            program::run({"-sS", "--max-time", "10", url_ + page}, {.program = "curl"});
        EXPECT_EQ(ended.exit_status, 0) << ended.err;
        return ended.out;
    }

  private:
    static std::vector<std::string> listening(std::vector<std::string> arguments) {
        arguments.emplace_back("--web.listen-address=127.0.0.1:0");
        return arguments;
    }

    program::Running running_;
    std::string url_;
};

} // namespace debian
