// The costliest request of every memory instruction of an emulated launch.
#pragma once
#include <mutex>
#include <vector>

#include "warplens/run/ptx/emulator.h"
#include "warplens/simt/access_sample.h"

namespace warplens::counters {

class PtxWatch final : public emulator::Observer {
 public:
  explicit PtxWatch(const emulator::Dim3& grid) : grid_(grid) {}
  void access(const emulator::AccessEvent& event) override;
  /// AccessSample::instruction is a row of LaunchCounts::instructions.
  const std::vector<kernel::AccessSample>& samples() const { return samples_; }

 private:
  emulator::Dim3 grid_;
  std::mutex mutex_;
  std::vector<kernel::AccessSample> samples_;
};

}  // namespace warplens::counters
