// Training or serving steps: where one begins and ends on the host, from one source for every verb.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// The marks of steps, the program's own first: ranges of torch.profiler or of warplens.step(); ranges that the program
/// opens around each pass of its loop; calls of the optimizer; calls of the outermost module; the same launches again.
enum class StepSource : uint8_t { kNone, kProfiler, kRange, kOptimizer, kModule, kRepeated };

struct Step {
  uint32_t rank;             // row of ranks
  int64_t number;            // N of ProfilerStep#N or of the range's name; else steps count from 1
  int64_t start_ns, end_ns;  // on the host
  std::string kind;          // its range's name, without its number; empty if all steps are of one kind
};

struct Steps {
  StepSource source = StepSource::kNone;  // of the first rank that has steps
  std::vector<Step> list;                 // by rank, then start
};

/// All steps of the one source that each rank has.
Steps find_steps(const Profile& profile);

/// N of "ProfilerStep#N"; no value for other names.
std::optional<int64_t> step_number(std::string_view name);

/// "by ranges of the program", for people.
std::string_view source_name(StepSource source);

}  // namespace warplens::analysis
