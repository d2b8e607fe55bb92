// A part of a profile, as a profile: by step, time, rank, device, stream, annotation, shortest duration.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "warplens/base/status.h"
#include "warplens/program/analysis/serving/phases.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

struct Cut {
  std::optional<std::pair<int64_t, int64_t>> steps;  // numbers of ProfilerStep#N, first and last
  std::optional<int64_t> from_ns, to_ns;             // since the start of the first rank's window
  std::optional<int64_t> rank, device, stream;       // device: its ordinal
  std::string annotation;                            // glob over ranges' names; empty: all
  std::optional<Phase> phase;                        // iterations of a serving engine
  int64_t shortest_ns = 0;  // shorter events are left out; instants stay, and calls whose work stays

  bool whole() const;
  std::string text() const;  // "steps 2 to 3, rank 0"
};

/// The part of `profile` in the cut. For steps, annotations and phases: the host's work in them, and all device work
/// launched there, whenever it ran; work launched before the recording belongs to none. For times: the work between
/// them, on the host and on the device. Host events and, for times, device work that cross an edge end there. Calls
/// whose device work is left out lose their correlation, so nothing looks lost. Integrity checks run anew. The original
/// profile is unchanged afterwards. Errors: a step, annotation, phase, rank, device or stream that the profile does not
/// have; times outside it.
Result<Profile> cut_profile(Profile profile, const Cut& cut);

}  // namespace warplens::analysis
