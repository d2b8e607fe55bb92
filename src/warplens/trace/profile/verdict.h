// The integrity of a profile in words: a line that every report opens with, and what must not be concluded.
#pragma once
#include <optional>
#include <string>

#include "warplens/trace/profile/profile.h"

namespace warplens {

/// One line, without a newline: "whole: nothing is missing" or what is wrong, the worst first.
std::string integrity_verdict(const Profile& profile);

/// A line for each issue of `from` or worse: what, where, what to do. Each ends in a newline.
std::string integrity_details(const Profile& profile, Severity from = Severity::kWarning);

enum class Conclusion {
  kIdleTime,        // gaps on the device, and who caused them
  kLaunchLatency,   // host time to device time
  kTotals,          // sums over operators or kernels
  kStepTimes,       // comparing steps, or replays of a graph, with one another
  kCollectiveSkew,  // waiting of ranks for one another
  kGate,            // pass or fail: data that lacks something passes no gate
};

/// Why `conclusion` cannot be drawn from this profile: the detail; no value when it can.
std::optional<std::string> withheld(const Profile& profile, Conclusion conclusion);

}  // namespace warplens
