// The lengths of a profile's steady steps as text.
#pragma once
#include <string>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/steps/steady_steps.h"

namespace warplens::analysis {

/// "19.1 ms to 19.8 ms"; empty if the steps are as long as each other, in the digits shown.
inline std::string range_text(const StepSummary& steps) {
  const std::string from = format_ns(static_cast<double>(steps.shortest_ns));
  const std::string to = format_ns(static_cast<double>(steps.longest_ns));
  return from == to ? "" : fmt::format("{} to {}", from, to);
}

}  // namespace warplens::analysis
