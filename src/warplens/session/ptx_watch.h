// The costliest request of every memory instruction of an emulated launch.
#pragma once
#include <mutex>
#include <vector>

#include "warplens/simt/launch.h"
#include "warplens/simt/requests/sample.h"

namespace warplens::session {

class PtxWatch final : public simt::Observer {
 public:
  explicit PtxWatch(const simt::Dim3& grid) : grid_(grid) {}
  void access(const simt::AccessEvent& event) override;
  /// AccessSample::instruction is a row of LaunchCounts::instructions.
  const std::vector<simt::AccessSample>& samples() const { return samples_; }

 private:
  simt::Dim3 grid_;
  std::mutex mutex_;
  std::vector<simt::AccessSample> samples_;
};

}  // namespace warplens::session
