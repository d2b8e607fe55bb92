// How long the memory of a series is, and how long the blocks of a bootstrap must be to keep it.
#pragma once
#include <cstddef>
#include <span>

namespace warplens::bench {

/// Autocorrelation of `series` at `lag`; 0 for a constant series.
double autocorrelation(std::span<const double> series, size_t lag);

/// Block length for a circular block bootstrap: Politis and White (2004) with the correction of Patton, Politis and
/// White (2009). At least 1 and at most a third of the series.
size_t automatic_block_length(std::span<const double> series);

}  // namespace warplens::bench
