// Times functions of the host with its monotonic clock.
#pragma once
#include <vector>

#include "warplens/bench/harness/timer.h"

namespace warplens::bench {

class CpuTimer : public Timer {
 public:
  CpuTimer();
  std::string_view source() const override;
  double resolution_ns() const override { return resolution_ns_ / static_cast<double>(calls_); }
  void* stream() const override { return nullptr; }
  Status warm_up(const Work& work, Regime regime, double seconds) override;
  Status take(const Work& work, Regime regime, size_t count, std::vector<Sample>& samples) override;
  Result<Sample> take_one(const Work& work) override;
  double jitter_ns() const override { return 2000; }
  Status finish() override { return {}; }
  Result<double> time_left_running(const Work& work) override;
  std::vector<std::string_view> throttle_names(uint64_t) const override { return {}; }

 private:
  void evict_caches();
  double resolution_ns_;
  size_t calls_ = 1;  // in a sample
  std::vector<char> evictor_;
};

}  // namespace warplens::bench
