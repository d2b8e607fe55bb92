// Which of a program's findings are told in passing.
#pragma once
#include "warplens/output/finding.h"

namespace warplens::findings {

/// Of a step: what saves less is not worth an engineer's minute, and is told in one line with others of its kind.
inline constexpr double kMinorSaving = 0.005;

/// The share of the step that a finding of idle time or communication is about, 0..1: evidence of that name, or 0.
double concerned_fraction(const Finding& finding);

/// A finding that only its little saving speaks for.
inline bool is_minor(const Finding& f) {
  return f.level == Level::kInfo && f.saving_fraction && *f.saving_fraction < kMinorSaving;
}

}  // namespace warplens::findings
