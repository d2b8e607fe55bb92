// Counters of a program's kernels, joined to the kernels of its timeline.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/output/finding.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::findings {

/// A launch that was counted, on hardware or emulated.
struct CountedLaunch {
  std::string name;                        // mangled or as the tool wrote it
  std::array<int64_t, 3> grid{}, block{};  // all 0 where the file does not say
  std::string device, bound_by;
  bool emulated = false;
  double ns = 0;
  std::string id, title, advice;  // of its first finding; empty if it has none
  std::optional<double> saving_fraction;
  std::vector<std::string> where;
};

/// The launches of a report in the JSON of `warplens counters --save` (docs/schemas/kernel.schema.json). Those without
/// counters are left out and listed in `notes`. Error: not such a report.
Result<std::vector<CountedLaunch>> counted_launches(const json::Value& report, std::vector<std::string>* notes);

enum class JoinedBy : uint8_t { kOrder, kShape, kName };
const char* join_name(JoinedBy by);

/// The launch that a kernel of the timeline was joined to.
struct Join {
  uint32_t launch = kNone;  // index into CountedKernels::launches
  JoinedBy by = JoinedBy::kOrder;
  uint16_t candidates = 1;  // counted launches that differ, and of which it may be any; 1: it is this one
};

struct CountedKernels {
  std::vector<CountedLaunch> launches;
  std::vector<Join> joins;  // by row of device_events; launch is kNone if nothing was joined; empty: no counters
  std::vector<CountedCause> causes;  // of all kernels that joined, by device time
  std::vector<std::string> notes;    // the kernels that did not join, and ambiguous ones, in words
  size_t kernels = 0, kernels_joined = 0, launches_joined = 0;
  int64_t kernels_ns = 0, joined_ns = 0, ambiguous_ns = 0;
  bool any() const { return !joins.empty(); }
};

/// Joins by name (name_key, from the whole to the function's own), grid and block. If a rank's timeline holds as many
/// such launches as were counted, they are joined one by one in order. Otherwise, each kernel gets the launch whose
/// findings most of them share. Kernels whose shape one side lacks join by name.
CountedKernels join_counters(const Profile& profile, std::vector<CountedLaunch> launches,
                             std::vector<std::string> notes = {});

/// The causes of those of `events` (rows of device_events) that joined, by device time.
std::vector<CountedCause> causes_of(const Profile& profile, const CountedKernels& counted,
                                    const std::vector<uint32_t>& events);

}  // namespace warplens::findings
