// Times of kernels where counters were refused: CUPTI's activity records need no permission.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "warplens/collect/counters/counts_file.h"
#include "warplens/collect/counters/launch.h"
#include "warplens/collect/cupti/library.h"

namespace warplens::collect {

class KernelTimes {
 public:
  /// Records every kernel from now on.
  void start(const cupti::Library& cupti);
  /// `launch` is about to run, and its time is needed.
  void expect(const cupti::Launch& launch) { expected_.push_back(launch); }
  /// Waits for running work and writes each expected launch with its time.
  void finish(const cupti::Library& cupti, CountsFile* file);

 private:
  std::vector<cupti::Launch> expected_;
  bool started_ = false;
};

}  // namespace warplens::collect
