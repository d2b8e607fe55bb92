#include "warplens/program/analysis/timeline/gaps.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/program/analysis/call_role.h"
#include "warplens/program/analysis/host_samples.h"
#include "warplens/program/analysis/host_work.h"
#include "warplens/program/analysis/timeline/activity.h"

namespace warplens::analysis {
namespace {

constexpr int64_t kQueuedGapNs = 5'000;      // between two queued kernels there is no more
constexpr int64_t kLatencyNs = 20'000;       // from a call to its kernel on an idle device, with room
constexpr int64_t kEventWaitNs = 50'000;     // a wait for another stream ends this soon after that stream's event
constexpr int64_t kLongWorkNs = 10'000'000;  // of the host, after a wait: the wait is not why the device is idle

/// Host-side collectives, in which a rank waits for all others.
bool waits_for_ranks(std::string_view op) {
  return op.starts_with("gloo:") || op == "c10d::barrier" || op == "c10d::monitored_barrier_";
}

/// Host time of one rank by what it was spent on.
class HostTime {
 public:
  HostTime(const Profile& p, const Forest& forest, const Links& links, uint32_t rank) : p_(p), roles_(p) {
    std::vector<Span> operators, calls, allocator, input, profiler, pageable, barriers;
    for (uint32_t row = 0; row < p.calls.size(); ++row) {
      if (rank_of_call(p, row) != rank) continue;
      const Span span{p.calls.start_ns[row], p.calls.start_ns[row] + p.calls.duration_ns[row]};
      calls.push_back(span);
      const CallRole role = roles_(row);
      if (role == CallRole::kAllocate || role == CallRole::kFree) allocator.push_back(span);
      if (is_sync(role)) syncs_.push_back(row);
    }
    calls_ = unite(std::move(calls));
    for (const uint32_t row : forest.order) {
      if (rank_of_operator(p, row) != rank) continue;
      const Span span{p.operators.start_ns[row], p.operators.start_ns[row] + p.operators.duration_ns[row]};
      if (p.operators.kind[row] == OperatorKind::kOperator) {
        operators.push_back(span);
        if (waits_for_ranks(p.text(p.operators.name[row]))) barriers.push_back(span);
        if (p.operators.duration_ns[row] >= kLongOperatorNs && !only_arranges(p.text(p.operators.name[row])) &&
            overlap_ns(calls_, span.start_ns, span.end_ns) == 0)
          input.push_back(span);
      } else if (contains(p.text(p.operators.name[row]), "DataLoader")) {
        input.push_back(span);
      }
    }
    for (uint32_t row = 0; row < p.device_events.size(); ++row) {
      const uint32_t call = links.event_call[row];
      if (call == kNone || rank_of_call(p, call) != rank || !contains(p.text(p.device_events.name[row]), "Pageable"))
        continue;
      pageable.push_back({p.calls.start_ns[call], p.calls.start_ns[call] + p.calls.duration_ns[call]});
    }
    for (uint32_t row = 0; row < p.overheads.size(); ++row)
      profiler.push_back({p.overheads.start_ns[row], p.overheads.start_ns[row] + p.overheads.duration_ns[row]});
    operators_ = unite(std::move(operators));
    allocator_ = unite(std::move(allocator));
    input_ = unite(std::move(input));
    profiler_ = unite(std::move(profiler));
    pageable_ = unite(std::move(pageable));
    barriers_ = unite(std::move(barriers));
    python_ = !operators_.empty() || p.python_frames.size() > 0 || HostSamples(p).in_python();
    std::sort(syncs_.begin(), syncs_.end(),
              [&](uint32_t a, uint32_t b) { return p.calls.start_ns[a] < p.calls.start_ns[b]; });
  }

  /// A synchronization that was waiting when the gap began: it started before and returned within the gap.
  uint32_t sync_into(int64_t gap_start_ns, int64_t until_ns) const {
    auto at = std::upper_bound(syncs_.begin(), syncs_.end(), gap_start_ns,
                               [&](int64_t time, uint32_t row) { return time < p_.calls.start_ns[row]; });
    for (int back = 0; at != syncs_.begin() && back < 4; ++back) {
      --at;
      const int64_t end = p_.calls.start_ns[*at] + p_.calls.duration_ns[*at];
      if (end >= gap_start_ns && end <= until_ns) return *at;
    }
    return kNone;
  }

  GapCause largest(int64_t start_ns, int64_t end_ns) const {
    const int64_t half = (end_ns - start_ns) / 2;
    if (overlap_ns(barriers_, start_ns, end_ns) > half) return GapCause::kPeer;
    if (overlap_ns(input_, start_ns, end_ns) > half) return GapCause::kInput;
    if (overlap_ns(allocator_, start_ns, end_ns) > half) return GapCause::kAllocator;
    if (overlap_ns(pageable_, start_ns, end_ns) > half) return GapCause::kPageableCopy;
    if (overlap_ns(profiler_, start_ns, end_ns) > half) return GapCause::kProfiler;
    const int64_t known = std::max(overlap_ns(operators_, start_ns, end_ns), overlap_ns(calls_, start_ns, end_ns));
    if (known >= half) return GapCause::kLaunchBound;
    return python_ ? GapCause::kPython : GapCause::kHost;
  }

 private:
  const Profile& p_;
  CallRoles roles_;
  TimeSet operators_, calls_, allocator_, input_, profiler_, pageable_, barriers_;
  std::vector<uint32_t> syncs_;
  bool python_;  // what this was recorded of
};

/// Whether an event is a collective that spent most of its time waiting for other ranks.
bool waited_for_peers(const Profile& p, uint32_t row, const TimeSet& peer_waits) {
  const int64_t start = p.device_events.start_ns[row], length = p.device_events.duration_ns[row];
  return is_communication(p, row) && 2 * overlap_ns(peer_waits, start, start + length) > length;
}

/// launched the event is over, or has long reached the device.
class GapJudge {
 public:
  GapJudge(const Profile& p, const Forest& operators, const Links& links, const HostTime& host,
           const TimeSet& peer_waits)
      : p_(p), operators_(operators), links_(links), host_(host), samples_(p), peer_waits_(peer_waits) {}

  /// `before`: the event that ended last before the gap.
  Gap judge(int64_t from, int64_t to, uint32_t before, uint32_t next) const {
    Gap gap{from, to, GapCause::kUnknown, next, kNone, kNone};
    const uint32_t call = links_.event_call[next];
    if (call == kNone) return gap;
    gap.host = links_.call_operator[call];
    const int64_t launched = p_.calls.start_ns[call], returned = launched + p_.calls.duration_ns[call];
    const int64_t host_until = std::clamp(returned + kLatencyNs, from, to);
    if (launched <= from && to - from <= kQueuedGapNs) {
      gap.cause = GapCause::kLaunchGap;
    } else if (returned + kLatencyNs <= from || to - host_until > (to - from) / 2) {
      gap.cause = queued(gap, before);
    } else if (returned <= from) {
      gap.cause = GapCause::kLaunchBound;  // still on its way
    } else if (const uint32_t sync = host_.sync_into(from, launched); sync != kNone && launched > from) {
      const int64_t waited_until = p_.calls.start_ns[sync] + p_.calls.duration_ns[sync];
      if (launched - waited_until >= kLongWorkNs && 2 * (launched - waited_until) > to - from) {
        gap.cause = host_.largest(waited_until, launched);
      } else {
        gap.cause = waited_for_peers(p_, before, peer_waits_) ? GapCause::kPeer : GapCause::kSynchronization;
        gap.host = links_.call_operator[sync];
      }
    } else {
      gap.cause = host_.largest(from, std::max(std::min(returned, to), from + 1));
      if (!samples_.empty()) ask_samples(gap, p_.calls.thread[call], std::min(launched, to));
      if (gap.cause == GapCause::kInput)
        gap.host = innermost_at(operators_, p_.operators.start_ns.values(), p_.operators.duration_ns.values(),
                                p_.calls.thread[call], (from + launched) / 2);
    }
    return gap;
  }

 private:
  /// Samples know what no event tells: which code, and what a thread that waits waits for.
  void ask_samples(Gap& gap, uint32_t thread, int64_t launched_ns) const {
    const HostSamples::Code code = samples_.most(thread, gap.start_ns, launched_ns);
    gap.sample = code.sample;
    if (gap.cause != GapCause::kPython && gap.cause != GapCause::kLaunchBound) return;
    if (code.gil) gap.cause = GapCause::kGil;
    if (code.loader) gap.cause = GapCause::kInput;
  }

  /// The launch had reached the device.
  GapCause queued(const Gap& gap, uint32_t before) const {
    const int64_t length = gap.end_ns - gap.start_ns;
    const bool other_stream = p_.device_events.stream[gap.next] != p_.device_events.stream[before];
    if (other_stream && length <= kEventWaitNs) return GapCause::kOtherStream;
    return length <= kLatencyNs ? GapCause::kLaunchGap : GapCause::kQueued;
  }

  const Profile& p_;
  const Forest& operators_;
  const Links& links_;
  const HostTime& host_;
  const HostSamples samples_;
  const TimeSet& peer_waits_;
};

}  // namespace

std::string_view gap_cause_name(GapCause cause) {
  static constexpr std::string_view kNames[kGapCauses] = {
      "launch-gap",    "other-stream", "queued",       "synchronization", "peer", "input", "allocator",
      "pageable-copy", "profiler",     "launch-bound", "python",          "host", "gil",   "unknown"};
  return kNames[static_cast<size_t>(cause)];
}

std::vector<Gap> find_gaps(const Profile& p, const Forest& operators, const Links& links, uint32_t device,
                           int64_t start_ns, int64_t end_ns, const TimeSet& peer_waits) {
  const auto& events = p.device_events;
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < events.size(); ++row) {
    if (events.device[row] == device && is_device_work(events.kind[row])) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) { return events.start_ns[a] < events.start_ns[b]; });
  const HostTime host(p, operators, links, p.devices.rank[device]);
  const GapJudge judge(p, operators, links, host, peer_waits);
  std::vector<Gap> out;
  int64_t busy_until = INT64_MAX;
  uint32_t busy_row = kNone;  // the event that ended last
  for (const uint32_t row : rows) {
    const int64_t from = std::max(busy_until, start_ns), to = std::min(events.start_ns[row], end_ns);
    if (busy_until != INT64_MAX && to > from) out.push_back(judge.judge(from, to, busy_row, row));
    const int64_t end = events.start_ns[row] + events.duration_ns[row];
    if (busy_until == INT64_MAX || end > busy_until) {
      busy_until = end;
      busy_row = row;
    }
  }
  return out;
}

}  // namespace warplens::analysis
