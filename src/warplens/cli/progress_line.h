// The progress of a launch: a line on standard error, redrawn in place. Prints nothing without a terminal.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "warplens/launch/run.h"

namespace warplens::cli {

class ProgressLine {
 public:
  void launch(size_t number, size_t count, std::string kernel);
  /// Calls come from one thread at a time. A count that starts again is another run of the same launch.
  void show(const simt::Progress& progress);
  void clear();
  /// "; 37.0 % of the blocks of launch 2 of 5, 'gemm', had run": for a user who interrupts. "" before anything ran.
  std::string how_far() const;

 private:
  using Clock = std::chrono::steady_clock;
  void restart();
  double share() const;

  const bool shown_on_terminal_ = is_terminal();
  static bool is_terminal();
  bool drawn_ = false;
  size_t number_ = 0, count_ = 0;
  std::string kernel_;
  simt::Progress last_{0, 0, 0};
  Clock::time_point begin_, drawn_at_;
};

}  // namespace warplens::cli
