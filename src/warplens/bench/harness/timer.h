// Measures the time of a call: by the host's clock, or by events on a GPU's stream.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/bench/harness/work.h"

namespace warplens::bench {

/// cold: caches flushed before each sample. warm: one untimed call before each. throughput: many calls in a row, a
/// sample being their mean.
enum class Regime { kCold, kWarm, kThroughput };
std::string_view name_of(Regime regime);
Result<Regime> regime_named(std::string_view name);

struct Sample {
  double ns = 0;            // of one call
  double host_ns = 0;       // host time to issue it
  double sm_clock_mhz = 0;  // 0: not known
  uint64_t throttle = 0;    // bits that the Timer names
};

class Timer {
 public:
  virtual ~Timer() = default;
  virtual std::string_view source() const = 0;  // kMeasured or kCpu
  virtual double resolution_ns() const = 0;
  virtual void* stream() const = 0;
  /// Runs `work` for about `seconds`, and settles how many calls a sample takes.
  virtual Status warm_up(const Work& work, Regime regime, double seconds) = 0;
  virtual Status take(const Work& work, Regime regime, size_t count, std::vector<Sample>& samples) = 0;
  /// One call by itself, after a flush of the caches, in any regime.
  virtual Result<Sample> take_one(const Work& work) = 0;
  /// `count` samples of each, the order within a pair drawn at random.
  virtual Status take_pairs(const Work& a, const Work& b, Regime regime, size_t count, uint64_t seed,
                            std::vector<Sample>& of_a, std::vector<Sample>& of_b);
  /// A difference between two single calls that noise alone may cause.
  virtual double jitter_ns() const = 0;
  /// Waits for work issued on stream(), and for nothing else.
  virtual Status finish() = 0;
  /// Calls `work` and returns how long something continued after the call's own stream or thread was done.
  virtual Result<double> time_left_running(const Work& work) = 0;
  /// Those throttle bits that slow the device down, in words; empty for the harmless ones.
  virtual std::vector<std::string_view> throttle_names(uint64_t bits) const = 0;
};

}  // namespace warplens::bench
