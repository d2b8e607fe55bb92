// When to record: by steps, by time, or within a marked range. Pure: it gets events and answers whether to
// record.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "warplens/collect/cupti/calls.h"

namespace warplens::collect {

class Schedule {
 public:
  /// A capture that the program itself begins and ends, by calls into the recorder.
  static constexpr const char* kByProgram = "(by the program)";

  struct Plan {
    uint64_t wait = 0, warmup = 0, active = 0, repeat = 0;  // steps, as torch.profiler.schedule; active 0: no schedule;
                                                            // repeat 0: for ever
    uint64_t delay_ns = 0, duration_ns = 0;                 // after the start; duration 0: to the end
    std::string capture;                                    // cupti::kProfilerRange, or within NVTX ranges of this name
  };

  explicit Schedule(Plan plan) : plan_(std::move(plan)) {}

  bool active() const;
  /// Whether it depends on the clock, so that on_time() must be called now and then.
  bool timed() const { return plan_.delay_ns > 0 || plan_.duration_ns > 0; }
  bool captures_ranges() const { return !plan_.capture.empty() && !captures_profiler() && !by_program(); }
  bool by_program() const { return plan_.capture == kByProgram; }
  bool captures_profiler() const { return plan_.capture == cupti::kProfilerRange; }
  bool is_capture_range(std::string_view name) const { return captures_ranges() && name == plan_.capture; }

  void on_time(uint64_t since_start_ns) { elapsed_ns_ = since_start_ns; }
  void on_step() { ++steps_; }
  void on_capture(bool begins);

 private:
  Plan plan_;
  uint64_t elapsed_ns_ = 0, steps_ = 0, captures_ = 0;
};

}  // namespace warplens::collect
