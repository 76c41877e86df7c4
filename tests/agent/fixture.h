#pragma once

#include "agent/server.h"
#include "base/files.h"
#include "tests/agent/http_client.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace agent {

inline Handler saying(const std::string& text) {
    return [body = std::make_shared<const std::string>(text)] { return Reply{.body = body}; };
}

inline size_t count_entries(const char* folder) { return base::Root().list(folder).size(); }

/// Of servers, which must leave no thread and no descriptor behind.
class Servers : public testing::Test {
  protected:
    // With the first thread a sanitizer may start one of its own, which stays.
    static void SetUpTestSuite() {
        std::thread([] {}).join();
    }

    void TearDown() override {
        wait_until([&] { return count_entries("proc/self/task") <= threads_; });
        EXPECT_EQ(count_entries("proc/self/fd"), descriptors_);
    }

    /// A joined thread stays in /proc for a moment, a closed connection at the other end.
    static void wait_until(auto&& condition) {
        for (int i = 0; i < 6000 && !condition(); ++i)
            base::sleep_until(base::monotonic_now() + std::chrono::milliseconds(10));
        EXPECT_TRUE(condition());
    }

    Server::Options options() const { return {.listen = {"127.0.0.1:0"}}; }
    static std::map<std::string, Handler> paths() {
        return {{"/", saying("home\n")},
                {"/metrics", saying("figures 1\n")},
                {"/page", [] { return Reply{.status = 200, .type = "text/html"}; }},
                {"/unready", [] { return Reply{.status = 503}; }},
                {"/broken", []() -> Reply { throw std::runtime_error("secret"); }}};
    }

    std::string file(const std::string& name) const { return folder_.root().at(name); }
    void write(const std::string& name, const std::string& text) const {
        folder_.write(name, text);
    }
    void remove(const std::string& name) const { folder_.remove(name); }

    /// What tend() complains about.
    static std::vector<std::string> tend(Server& server) {
        std::vector<std::string> complaints;
        server.tend([&](const std::string& complaint) { complaints.push_back(complaint); });
        return complaints;
    }

    size_t threads() const { return threads_; }

  private:
    RecordedRoot folder_;
    size_t threads_ = count_entries("proc/self/task");
    size_t descriptors_ = count_entries("proc/self/fd");
};

/// What making a server throws.
template <typename Error>
std::string refusal(const Server::Options& options) {
    try {
        Server server(options, {});
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

} // namespace agent
