// A finding: what is wrong, the evidence, what to do, and what doing it would save.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warplens/output/table.h"

namespace warplens::findings {

enum class Level : uint8_t { kInfo, kWarn, kCritical };

std::string_view level_name(Level level);

struct Finding {
  std::string id;      // stable: "pageable-copy"
  Level level = Level::kInfo;
  std::string title;   // one line, with the numbers that matter
  std::string detail;  // what was seen
  std::string advice;  // what to do, for this case
  std::optional<int64_t>
      saving_ns;  // a step (the whole window where there are no steps); none where no honest estimate exists
  std::optional<double> saving_fraction;  // of the step without profiler, 0..1
  std::vector<std::pair<std::string, Cell>> evidence;  // names carry units: "copies_per_step", "copied_bytes"
  std::vector<std::string> where;         // operators, modules, source lines; most costly first
};

/// Of a step: what saves less is not worth an engineer's minute, and is told in one line with others of its kind.
inline constexpr double kMinorSaving = 0.005;

/// A finding that only its little saving speaks for.
inline bool is_minor(const Finding& f) {
  return f.level == Level::kInfo && f.saving_fraction && *f.saving_fraction < kMinorSaving;
}

}  // namespace warplens::findings
