// The counters of an emulated launch, as metrics of a measurement.
#pragma once
#include "warplens/bench/results/results.h"
#include "warplens/launch/machine.h"

namespace warplens::bench {

/// Adds the launch's counters to `out`, those of single source lines as NAME@FILE:LINE, its time bound and estimate.
void add_counts(const launch::Outcome& outcome, Measurement& out);

}  // namespace warplens::bench
