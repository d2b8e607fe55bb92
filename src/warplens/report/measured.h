// Conclusions from a launch's hardware counters alone.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warplens::report {

/// How much of its peak a unit worked.
struct UnitUse {
  std::string name;  // "DRAM", "L2", "FMA pipe"
  double share = 0;  // 0..1
};

/// Cycles that a warp waited for one reason, on average, for each instruction issued.
struct Stall {
  std::string reason;  // "long scoreboard"
  double cycles = 0;
};

/// For stalls without reasons; `--set stalls` counts them.
inline constexpr const char* kOtherStall = "other";

struct Measured {
  std::string chip;                           // "GH100"
  uint64_t passes = 0;                        // runs of the launch
  double ns = 0, cycles = 0;                  // cycles of the slowest graphics cluster
  double achieved_occupancy = 0;              // 0..1; 0 where not counted, as all that follows
  double issue_active = 0;                    // 0..1
  double eligible_warps = 0;                  // of a scheduler, a cycle
  double busiest_sm = 0, average_sm = 0;      // active cycles
  double l1_hit_rate = -1, l2_hit_rate = -1;  // 0..1; negative: not counted
  std::vector<UnitUse> units;                 // most used first
  std::vector<Stall> stalls;                  // longest first
};

/// The meaning of a reason, and its remedy.
struct StallAdvice {
  const char* metric;  // as metrics' names have it: "long_scoreboard"
  const char* reason;  // "long scoreboard"
  const char* meaning;
  const char* advice;
};
const std::vector<StallAdvice>& stall_advice();

/// Several lines, for people.
std::string measured_text(const Measured& measured);

}  // namespace warplens::report
