// The findings of a program that get one line together.
#pragma once
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/output/finding.h"

namespace warplens::findings {

/// Per step: a smaller saving is not worth an engineer's minute, and shares one line with others of its kind.
inline constexpr double kMinorSaving = 0.01;
inline bool saves_little(const Finding& f) { return f.saving_fraction.value_or(0) < kMinorSaving; }

/// How much a finding matters by the share of the step that it saves.
inline Level level_of(double saving_fraction) {
  constexpr double kCritical = 0.2, kWarn = 0.05;
  return saving_fraction >= kCritical ? Level::kCritical : saving_fraction >= kWarn ? Level::kWarn : Level::kInfo;
}

/// "1 copy", "3.50 copies".
inline std::string counted(double count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", format_count(count), count == 1 ? one : many);
}

/// The share of the step that a finding of idle time or communication is about, 0..1: evidence of that name, or 0.
double concerned_fraction(const Finding& finding);

/// A finding that only its little saving speaks for.
inline bool is_minor(const Finding& f) { return f.level == Level::kInfo && f.saving_fraction && saves_little(f); }

}  // namespace warplens::findings
