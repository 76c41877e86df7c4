#pragma once

#include "demand/totals.h"

#include <deque>
#include <optional>

namespace demand {

/// Do soaked windows change what runs? Compares windows with the time between them, inside ÷
/// outside: the rate of packets, and how many interrupts they need, as (packets + RES + CAL) /
/// packets; so a few interrupts more do not matter where hardly any packet needs one. They agree
/// unless a ratio's 95 % interval lies wholly outside of 0.9 to 1.1. Where fewer than ten are to be
/// expected inside, nothing can be told, and they agree.
class Agreement {
  public:
    /// A window, and the time since the one before it.
    void add(const Activity& inside, const Activity& outside);
    /// Of the last windows, a hundred at most; nullopt with fewer than twenty.
    std::optional<bool> undisturbed() const;

  private:
    struct Pair {
        Activity inside, outside;
    };
    std::deque<Pair> pairs_;
};

} // namespace demand
