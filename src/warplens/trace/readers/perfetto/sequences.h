// State that packets of one sequence set for later ones: texts by number, defaults, clocks.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "warplens/base/protobuf.h"
#include "warplens/trace/readers/perfetto/annotations.h"

namespace warplens::perfetto {

/// A clock of one sequence: its times count from the last one (incremental) or from `offset`.
struct SequenceClock {
  bool is_incremental = false;
  uint64_t unit_ns = 1;
  int64_t last = 0;       // in units, as the sequence counts
  int64_t offset_ns = 0;  // to the trace's clock
};

struct Sequence {
  Texts names, categories;
  AnnotationTexts annotations;
  uint64_t default_track = 0, default_clock = 0;
  bool has_state = false;  // its texts were cleared and set anew, so none is missing
  std::map<uint64_t, SequenceClock> clocks;
  int64_t reference_ns = 0;  // of old events, whose times are differences
  uint64_t thread_track = 0;

  void clear();
  void intern(std::string_view data);
  void take_defaults(std::string_view defaults);
};

/// Clocks of the whole trace, as offsets from the trace's own.
class Clocks {
 public:
  void take_snapshot(std::string_view snapshot, Sequence& sequence);
  /// On the trace's clock; nothing if the packet's clock was never defined.
  std::optional<int64_t> time_ns(uint64_t time, uint64_t clock, Sequence& sequence) const;
  /// Wall time at 0 of the trace's clock; 0 if unknown.
  int64_t wall_ns() const { return wall_ns_; }

 private:
  std::map<uint64_t, int64_t> offsets_;  // by clock: to be added
  int64_t wall_ns_ = 0;
};

}  // namespace warplens::perfetto
