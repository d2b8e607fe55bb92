// The host time of each rank that a cut keeps.
#pragma once
#include <optional>
#include <vector>

#include "warplens/program/analysis/cut/cut.h"
#include "warplens/program/analysis/intervals.h"

namespace warplens::analysis {

struct CutWindows {
  bool of_host = false;              // the cut names steps or annotations
  std::vector<TimeSet> chosen;       // of each rank: host time of those; everything where it names none
  Span times{INT64_MIN, INT64_MAX};  // --from, --to

  /// The part of an event of `rank` that stays; no value where none does. An event without length is kept or not.
  std::optional<Span> kept(uint32_t rank, int64_t start_ns, int64_t duration_ns) const;
  /// The same by times alone.
  std::optional<Span> within_times(int64_t start_ns, int64_t duration_ns) const;
  bool chosen_at(uint32_t rank, int64_t time_ns) const;
};

/// Errors: no such step or annotation, times outside the trace.
Result<CutWindows> cut_windows(const Profile& profile, const Cut& cut);

}  // namespace warplens::analysis
