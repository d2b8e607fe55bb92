// A finding: a problem of a program or a kernel, the evidence, the remedy, and its saving.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/output/counted_cause.h"
#include "warplens/output/table.h"
#include "warplens/output/terminal.h"

namespace warplens {

enum class Level : uint8_t { kInfo, kWarn, kCritical };

std::string_view level_name(Level level);  // "info", ...
/// `least`: of the mildest level.
Style style_of(Level level, Style least);

struct Finding {
  std::string id;  // stable: "pageable-copy"
  Level level = Level::kInfo;
  std::string title;   // one line, with the numbers that matter
  std::string detail;  // what was seen
  std::string advice;  // the remedy, for this case
  // Per step of a program (of the whole window if there are no steps); none if no honest estimate exists.
  std::optional<int64_t> saving_ns;
  std::optional<double> saving_fraction;  // of the step without profiler, of a launch's time: 0..1
  // The further saving once all findings before it are fixed, of the same time: less if they overlap. With the first
  // three, their sum is the saving of fixing those three.
  std::optional<double> beside_fraction;
  std::vector<std::pair<std::string, Cell>> evidence;  // names carry units: "copies_per_step", "copied_bytes"
  std::vector<std::string> where;                      // operators, modules, "file:line"; most costly first
  std::vector<uint32_t> events;                        // of a program: rows of device_events that it is about
  std::vector<CountedCause> kernels;                   // of those the ones that were counted, by device time
};

/// The saving of fixing the first `n` together, of the time that their fractions refer to; 0 if it is not known.
double saved_together(const std::vector<Finding>& findings, size_t n);

/// The member "evidence" of the object at hand.
void write_evidence(json::Writer& writer, const Finding& finding);

}  // namespace warplens
