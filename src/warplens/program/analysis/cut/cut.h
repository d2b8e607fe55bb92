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
  int64_t shortest_ns = 0;  // events shorter than this are left out; instants stay, and calls whose work stays

  bool whole() const;
  std::string text() const;  // "steps 2 to 3, rank 0"
};

/// What of `profile` lies in the cut. Of steps, annotations and phases: what the host did within them, and all device
/// work that it launched there, whenever that ran; work launched before the recording belongs to none. Of times: what
/// ran between them, on the host and on the device. Host events and, for times, device work that cross an edge end
/// there. Calls whose device work is left out lose their correlation, so that nothing looks lost; what the trace's
/// checks found is found anew. The whole profile comes back as it was. Errors: a step, annotation, phase, rank, device
/// or stream that the profile does not have; times outside it.
Result<Profile> cut_profile(Profile profile, const Cut& cut);

}  // namespace warplens::analysis
