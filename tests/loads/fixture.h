#pragma once

#include "base/files.h"
#include "base/time.h"
#include "loads/options.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace loads {

using std::chrono::milliseconds;

inline size_t count_entries(const char* folder) { return base::Root().list(folder).size(); }

/// What every load must leave behind: no thread, no descriptor.
class Loads : public testing::Test {
  protected:
    // With the first thread a sanitizer may start one of its own, which stays.
    static void SetUpTestSuite() {
        std::thread([] {}).join();
    }

    void TearDown() override {
        // A joined thread stays in /proc for a moment.
        for (int i = 0; i < 1000 && count_entries("proc/self/task") > threads_; ++i)
            base::sleep_until(base::monotonic_now() + milliseconds(5));
        EXPECT_LE(count_entries("proc/self/task"), threads_);
        EXPECT_EQ(count_entries("proc/self/fd"), descriptors_);
    }

  private:
    size_t threads_ = count_entries("proc/self/task");
    size_t descriptors_ = count_entries("proc/self/fd");
};

inline Options short_load(Kind kind) {
    Options options;
    options.kind = kind;
    options.duration = milliseconds(60);
    return options;
}

/// What a call throws; empty: nothing.
std::string error_of(auto&& call) {
    try {
        call();
        return "";
    } catch (const std::exception& error) {
        return error.what();
    }
}

} // namespace loads
