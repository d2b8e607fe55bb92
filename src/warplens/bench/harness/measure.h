// One benchmark from start to end: checked, warmed up, sampled until the interval is narrow enough, checked again.
#pragma once
#include <functional>

#include "warplens/bench/harness/timer.h"
#include "warplens/bench/results/results.h"
#include "warplens/bench/stats/compare.h"
#include "warplens/bench/stats/sequential.h"

namespace warplens::bench {

/// Rates that nothing on the device can exceed; 0: unknown.
struct Ceilings {
  double bytes_per_second = 0, flops_per_second = 0;
};

struct MeasureOptions {
  Regime regime = Regime::kCold;
  StoppingOptions stopping;
  double warm_up_seconds = 0.02;
  double limit_seconds = 5;  // for sampling; when it ends first, the result says that the target was not reached
  uint64_t seed = 0;         // of inputs and poison; 0: taken from the system, so that no code can expect it
  Ceilings ceilings;
  std::function<void(size_t samples, double relative_half_width)> progress;
};

/// Times `work` and fills everything but name and axes. Results that must not be trusted have valid = false and the
/// reasons in errors; an error Status is only returned when the work itself fails.
Result<Measurement> measure(const Work& work, Timer& timer, const MeasureOptions& options);

struct RaceOptions {
  Regime regime = Regime::kCold;
  PairedOptions paired;
  double warm_up_seconds = 0.01;
  double limit_seconds = 2;
  uint64_t seed = 0;
};

/// Measures A against B in blocks of one pair, each in random order, until there is a verdict or the time is over.
Result<Comparison> race(const Work& a, const Work& b, Timer& timer, const RaceOptions& options);

/// A seed from the system's entropy, never 0.
uint64_t fresh_seed();

}  // namespace warplens::bench
