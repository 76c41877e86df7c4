#pragma once

#include "demand/phase.h"

#include <vector>

namespace demand {

/// Splits `interrupts` of soaked phases into interrupts and hypervisor where the kernel measures
/// interrupts for us: a thread's CPU clock stops for them (IRQ_TIME_ACCOUNTING), and beyond them only
/// for the steal that the hypervisor admits to (PARAVIRT_TIME_ACCOUNTING). So
///
///   interrupts = time in which the soaker's clock stood still - steal
///   hypervisor = its stalls without another thread - interrupts
///
/// per phase, both signed, as steal comes in steps of 10 ms. Told by what was observed, over all
/// phases of all CPUs: the clock stood still for at least a twentieth of those stalls (noise: up to a
/// hundredth), and at most half of that was steal. Else nothing is changed.
void tell_interrupts_apart(std::vector<Phase>& phases);

} // namespace demand
