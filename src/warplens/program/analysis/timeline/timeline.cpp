#include "warplens/program/analysis/timeline/timeline.h"

#include <algorithm>

#include "warplens/base/timing.h"
#include "warplens/program/analysis/ranks/waiting.h"

namespace warplens::analysis {
namespace {

struct Stretch {
  int64_t step, start_ns, end_ns;
  StepRole role = StepRole::kSteady;
};

/// When collectives on each device waited for a rank that came later.
std::vector<TimeSet> peer_waits(const Profile& p) {
  std::vector<std::vector<Span>> spans(p.devices.size());
  if (p.ranks.size() > 1) {
    for (const CollectiveCost& cost : analyse_ranks(p).collectives) {
      for (uint32_t rank = 0; rank < cost.events.size(); ++rank) {
        const uint32_t row = cost.events[rank];
        if (row == kNone || rank == cost.last_rank) continue;
        const int64_t start = p.device_events.start_ns[row];
        spans[p.device_events.device[row]].push_back(
            {start, start + p.device_events.duration_ns[row] - cost.transfer_ns});
      }
    }
  }
  std::vector<TimeSet> out;
  for (std::vector<Span>& of_device : spans) out.push_back(unite(std::move(of_device)));
  return out;
}

DeviceStep measure(const Profile& p, const Causes& causes, uint32_t device, const Activity& all,
                   const std::vector<Gap>& gaps, const TimeSet& waits, const Stretch& stretch) {
  DeviceStep row;
  row.device = device;
  row.step = stretch.step;
  row.role = stretch.role;
  row.start_ns = stretch.start_ns;
  row.end_ns = stretch.end_ns;
  const Activity within = clip(all, stretch.start_ns, stretch.end_ns);
  row.busy_ns = length_ns(within.busy());
  row.computation_ns = length_ns(within.computation);
  row.communication_ns = length_ns(within.communication);
  row.copies_ns = length_ns(within.copies);
  row.exposed_communication_ns = length_ns(within.exposed_communication());
  row.exposed_copies_ns = length_ns(within.exposed_copies());
  row.peer_wait_ns = length_ns(intersect(within.exposed_communication(), waits));
  row.idle_ns = stretch.end_ns - stretch.start_ns - row.busy_ns;
  for (const Gap& gap : gaps) {
    const int64_t length = std::min(gap.end_ns, stretch.end_ns) - std::max(gap.start_ns, stretch.start_ns);
    if (length > 0) row.idle_by_cause[static_cast<size_t>(gap.cause)] += length;
  }
  row.launches = launch_statistics(p, causes, device, stretch.start_ns, stretch.end_ns);
  return row;
}

}  // namespace

Timeline device_timeline(const Profile& p, const Causes& causes, const StepSet& steps) {
  const TimedScope timed("timeline");
  Timeline out;
  const std::vector<TimeSet> waits = peer_waits(p);
  for (uint32_t device = 0; device < p.devices.size(); ++device) {
    const Activity all = device_activity(p, device);
    const TimeSet busy = all.busy();
    if (busy.empty()) continue;
    const Stretch whole{kWholeTrace, busy.front().start_ns, busy.back().end_ns};
    out.gaps.push_back(
        find_gaps(p, causes.operators, causes.links, device, whole.start_ns, whole.end_ns, waits[device]));
    out.rows.push_back(measure(p, causes, device, all, out.gaps.back(), waits[device], whole));
    for (size_t i = 0; i < steps.steps.size(); ++i) {
      const StepTime& step = steps.times[i];
      if (step.rank == p.devices.rank[device] && step.length_ns() > 0)
        out.rows.push_back(measure(p, causes, device, all, out.gaps.back(), waits[device],
                                   {step.number, step.start_ns, step.end_ns, steps.roles[i]}));
    }
  }
  return out;
}

}  // namespace warplens::analysis
