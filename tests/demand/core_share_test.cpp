#include "demand/core_share.h"

#include <gtest/gtest.h>

namespace demand {
namespace {

TEST(CoreShare, of_undisturbed_windows_is_near_the_best_tenth) {
    EXPECT_EQ(least_undisturbed_share({}), 0);
    EXPECT_DOUBLE_EQ(least_undisturbed_share({1.0}), 0.98);
    EXPECT_DOUBLE_EQ(least_undisturbed_share({0.6, 1.0, 0.7, 0.6, 0.6, 0.8, 0.7, 0.7, 0.6, 0.6, 9}),
                     0.98);
}

} // namespace
} // namespace demand
