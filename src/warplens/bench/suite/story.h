// The story of a family: the emulator's counts of each step, the finding that leads to the next step, and its expected
// gain.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "warplens/bench/results/results.h"
#include "warplens/bench/suite/family.h"
#include "warplens/output/finding.h"

namespace warplens::bench {

struct StepStory {
  const Step* step = nullptr;
  Measurement measured;           // emulated: counters, bound, estimate, checks
  std::vector<Finding> findings;  // of its launches; savings as shares of the whole step, most valuable first
  std::string limited_by;         // the modelled time of the costliest launch
  std::optional<double>
      saving;  // that the step's finding promises, as a share of its time; none where it was not found
  /// Time of the step before over this one's, as the model expects it; 0 for the first step.
  double gain = 0;
};

/// The steps of `family` named in `steps` (all where it is empty) at `point`, emulated one after the other.
Result<std::vector<StepStory>> tell(const Family& family, const Point& point, const std::vector<std::string>& steps,
                                    const std::string& arch);

}  // namespace warplens::bench
