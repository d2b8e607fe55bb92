// The parts of the idle time of a rank's busiest device.
#pragma once
#include <array>
#include <string>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

/// Recorded nanoseconds of the whole window. Idle time before the first kernel and after the last has no gap.
struct IdleTime {
  int64_t span_ns = 0, busy_ns = 0;
  std::array<int64_t, analysis::kGapCauses> by_cause{};
  std::array<uint32_t, analysis::kGapCauses> host;     // the operator in which most of a cause's time passed, or kNone
  std::array<std::string, analysis::kGapCauses> code;  // the line in which most of it passed, where stacks were sampled
  int64_t of(analysis::GapCause cause) const { return by_cause[static_cast<size_t>(cause)]; }
  double share(int64_t ns) const { return span_ns > 0 ? static_cast<double>(ns) / static_cast<double>(span_ns) : 0; }
  int64_t before_first_ns = 0;  // from the window's start to the first kernel
  int64_t unrecorded_ns = 0;  // the part while that kernel was queued already: after work launched before the recording
  /// The host was in operators, launches or Python between them, without a wait and without making data; or the driver
  /// was late with work just launched.
  int64_t launching_ns = 0;
};

/// For the busiest device within the recorded steps: detects little idle time without searching its causes.
int64_t recorded_busy_ns(const Context& context);

/// "launch-bound 52 % (aten::mm), python 11 %": causes of a twentieth of the idle time or more, the largest first.
std::string causes_text(const Context& context, const IdleTime& idle);

}  // namespace warplens::findings
