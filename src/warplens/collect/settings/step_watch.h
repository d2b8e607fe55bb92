// Step times, and detection of slow steps. Pure: it gets the time as an argument.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warplens::collect {

/// "2.5 x median" or "50000000 ns", as `warplens record --when` hands it on; neither: no step is slow.
struct SlowStep {
  double of_median = 0;
  uint64_t longer_than_ns = 0;
  bool asked_for() const { return of_median > 0 || longer_than_ns > 0; }
};

class StepWatch {
 public:
  explicit StepWatch(SlowStep slow) : slow_(slow) {}

  /// The end of one step and the beginning of the next. Returns why the step was slow, else an empty text.
  std::string on_step(uint64_t now_ns);

  uint64_t steps() const { return steps_; }
  uint64_t last_ns() const { return last_ns_; }
  /// Over the last steps; 0 before there were enough of them.
  uint64_t median_ns() const;

 private:
  static constexpr size_t kKept = 64, kEnough = 5;
  SlowStep slow_;
  std::vector<uint64_t> lengths_;  // of the last kKept steps, a ring
  uint64_t steps_ = 0, began_ns_ = 0, last_ns_ = 0;
};

}  // namespace warplens::collect
