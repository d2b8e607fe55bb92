// The steps that represent the warm program: summary, findings, timeline and diff use them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/program/analysis/links.h"
#include "warplens/program/analysis/steps/step_times.h"
#include "warplens/program/analysis/steps/steps.h"

namespace warplens::analysis {

/// kStart: before the program was warm (it loads, compiles, allocates). kTorn: the first or last one, of which less
/// than half was recorded or done. kApart: a rare one that took far longer than the others. kOther: of another kind
/// than most of the time goes to (validation between training steps), or with much other work in it.
enum class StepRole : uint8_t { kSteady, kStart, kTorn, kApart, kOther };
std::string_view role_name(StepRole role);

/// All steps of a profile with their lengths and roles, in one order.
struct StepSet {
  StepSource source = StepSource::kNone;
  std::vector<Step> steps;
  std::vector<StepTime> times;
  std::vector<StepRole> roles;

  bool empty() const { return steps.empty(); }
};

/// `event_call`: Links::event_call.
StepSet step_set(const Profile& profile, const RowLinks& event_call);

/// The longest row of steady steps of each rank, with no other step between them: the part that is run again.
StepSet longest_run(const StepSet& set);

/// The number of the step of `rank` that is under way on the host at this time; no value between steps.
std::optional<int64_t> step_at(const StepSet& set, uint32_t rank, int64_t time_ns);

struct StepSummary {
  size_t steps = 0, steady = 0;
  size_t start = 0, torn = 0, apart = 0, other = 0;
  int64_t mean_ns = 0, median_ns = 0, shortest_ns = 0, longest_ns = 0;  // of the steady ones
  int64_t start_ns = 0, other_ns = 0;                                   // means of those
};

/// Of one rank; all zero where it has no steps.
StepSummary step_summary(const StepSet& set, uint32_t rank);

/// As an object.
void write_steps(json::Writer& writer, const StepSummary& summary);

/// "left out: 1 at the start (409 ms), 1 torn"; empty where all steps are steady.
std::string left_out_text(const StepSummary& summary);

}  // namespace warplens::analysis
