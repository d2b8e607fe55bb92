// Splits collectives into transfer and waiting, and finds the last rank, its cause, bandwidths, and a line a rank.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warplens/program/analysis/ranks/digest.h"
#include "warplens/trace/profile/job/job.h"

namespace warplens::analysis {

/// Times on the first rank's clock, from the start of its window.
struct CollectiveCost {
  std::string name;   // "allreduce"; the kernel's name when the trace has no metadata
  int64_t bytes = 0;  // of the message as nccl-tests counts it; 0 when not known
  int32_t group_size = 0;
  int64_t start_ns = 0;                   // earliest start
  int64_t transfer_ns = 0;                // the shortest duration across ranks: nobody waited in that one
  int64_t waiting_ns = 0;                 // durations beyond that, summed over ranks
  uint32_t last_rank = kNone;             // row of ranks that started last, and so let the others wait
  int64_t late_ns = 0;                    // its start after the earliest one
  int64_t late_begin_ns = 0;              // when the earliest started, by the clock of the rank that came last
  int64_t late_idle_ns = 0;               // the idle time of its GPU meanwhile
  std::string late_host;                  // the host's activity then: the innermost range or operator
  std::vector<uint32_t> events;           // rows of device_events by row of ranks, kNone if a rank has none
  double algorithm_gbs = 0, bus_gbs = 0;  // bytes / transfer; times nccl-tests' factor. 0 when bytes are not known
};

struct RankCost {
  int32_t rank = 0;
  int64_t steps = 0;
  int64_t step_ns = 0;  // mean of the steady ones on the host; 0 without steps
  int64_t kernels = 0;
  int64_t busy_ns = 0;  // union of its device activity, whole trace
  int64_t computation_ns = 0, communication_ns = 0;
  int64_t exposed_communication_ns = 0;  // the part during which nothing was computed
  int64_t span_ns = 0;                   // of its recording
  int64_t collectives = 0;
  int64_t transfer_ns = 0, waiting_ns = 0;  // in matched collectives
  int64_t last = 0;                         // matched collectives in which it came last
  int64_t caused_waiting_ns = 0;            // of other ranks, in those
  job::RankClock clock;                     // its shift from the clock that the trace was recorded by
};

struct RankAnalysis {
  std::optional<std::string> not_one_job;  // why the traces cannot be from one job; then no other member is valid
  std::vector<RankCost> ranks;
  std::vector<CollectiveCost> collectives;  // matched and complete, in order
  int64_t unmatched = 0;                    // kernels without a partner on another rank
  int64_t before_all_recorded = 0;  // matched, but begun before every rank's profiler ran: their waiting is meaningless
};

RankAnalysis analyse_ranks(const Profile& profile);
/// Analyses a digest, with the facts of its ranks. CollectiveCost::late_host stays empty; host_at() finds it.
RankAnalysis analyse_ranks(const Profile& profile, const std::vector<RankFacts>& facts);

/// The host's activity at the launch of `event` (row of device_events), in the middle of [begin_ns, end_ns). This is
/// the innermost range or operator of the launching thread. Empty if no launch was recorded.
std::string host_at(const Profile& profile, uint32_t event, int64_t begin_ns, int64_t end_ns);

/// A rank that is unlike the others.
struct RankOutlier {
  uint32_t rank = 0;      // row of RankAnalysis::ranks
  const char* what = "";  // "step", "GPU busy", "computation", "exposed communication", "kernels"
  bool is_time = true;    // nanoseconds, else a count
  int64_t value = 0, median = 0;
  double score = 0;  // Iglewicz and Hoaglin's modified z-score
};

/// Values whose modified z-score is beyond 3.5, as Iglewicz and Hoaglin propose (How to Detect and Handle Outliers,
/// 1993), the farthest first. Fewer than five ranks have none.
std::vector<RankOutlier> rank_outliers(const RankAnalysis& analysis);

/// nccl-tests' factor from algorithm to bus bandwidth (its doc/PERFORMANCE.md).
double bus_factor(std::string_view collective, int32_t group_size);

/// Bytes of an element by torch's or NCCL's name for its type; 0 when unknown.
int64_t element_bytes(std::string_view dtype);

}  // namespace warplens::analysis
