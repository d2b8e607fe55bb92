// The integrity of a profile in words: the first line of every report, and the conclusions that it rules out.
#pragma once
#include <optional>
#include <string>

#include "warplens/trace/profile/profile.h"

namespace warplens {

/// One line, without a newline: "whole: nothing is missing" or the problems, the worst first.
std::string integrity_verdict(const Profile& profile);

/// A line for each issue of `from` or worse: problem, place, remedy. Each ends in a newline.
std::string integrity_details(const Profile& profile, Severity from = Severity::kWarning);

enum class Conclusion {
  kIdleTime,        // gaps on the device, and their causes
  kLaunchLatency,   // host time to device time
  kTotals,          // sums over operators or kernels
  kStepTimes,       // comparing steps, or replays of a graph, with one another
  kCollectiveSkew,  // waiting of ranks for one another
  kGate,            // pass or fail: incomplete data passes no gate
};

/// Why `conclusion` cannot be drawn from this profile: the detail; no value when it can.
std::optional<std::string> withheld(const Profile& profile, Conclusion conclusion);

}  // namespace warplens
