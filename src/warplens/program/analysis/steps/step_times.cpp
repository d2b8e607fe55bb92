#include "warplens/program/analysis/steps/step_times.h"

#include <algorithm>

#include "warplens/program/analysis/call_role.h"
#include "warplens/program/analysis/causes.h"

namespace warplens::analysis {
namespace {

bool is_work_of(const Profile& p, size_t row, uint32_t rank) {
  return rank_of_event(p, row) == rank && is_device_work(p.device_events.kind[row]);
}

int64_t end_of(const Profile& p, size_t row) {
  return p.device_events.start_ns[row] + p.device_events.duration_ns[row];
}

/// When the first event with a recorded launch began, by device: what ran before that without one was launched before
/// the recording.
std::vector<int64_t> first_launched(const Profile& p, const RowLinks& event_call) {
  std::vector<int64_t> first(p.devices.size(), INT64_MAX);
  for (size_t row = 0; row < p.device_events.size(); ++row) {
    int64_t& of_device = first[p.device_events.device[row]];
    if (event_call[row] != kNone && is_device_work(p.device_events.kind[row]))
      of_device = std::min(of_device, p.device_events.start_ns[row]);
  }
  return first;
}

/// On the device of a rank that was busy longest.
int64_t end_of_earlier_work(const Profile& p, const RowLinks& event_call, uint32_t rank) {
  const std::vector<int64_t> ends = ends_of_earlier_work(p, event_call);
  int64_t last = INT64_MIN;
  for (uint32_t device = 0; device < ends.size(); ++device) {
    if (p.devices.rank[device] == rank) last = std::max(last, ends[device]);
  }
  return last;
}

/// The steps of one rank, [first, last) of `steps`.
void add_rank(const Profile& p, const RowLinks& event_call, const std::vector<int64_t>& launched_ns, const Step* first,
              const Step* last, std::vector<StepTime>& out) {
  const auto count = static_cast<size_t>(last - first);
  std::vector<int64_t> done(count);
  for (size_t i = 0; i < count; ++i) done[i] = first[i].end_ns;
  int64_t earlier = end_of_earlier_work(p, event_call, first->rank);
  for (size_t row = 0; row < p.device_events.size(); ++row) {
    if (!is_work_of(p, row, first->rank)) continue;
    const uint32_t call = event_call[row];
    // Work without a launch was launched before the recording, or its launch is lost: it ends no step.
    const int64_t start = p.device_events.start_ns[row], first_ns = launched_ns[p.device_events.device[row]];
    const bool before_all = call == kNone && first_ns != INT64_MAX && start < first_ns;
    const int64_t launched = call == kNone ? INT64_MIN : p.calls.start_ns[call];
    const Step* after =
        std::upper_bound(first, last, launched, [](int64_t time, const Step& step) { return time < step.start_ns; });
    if (after == last && count > 0 && launched >= first[count - 1].end_ns) continue;  // behind the last step
    if (after != first) {
      int64_t& of_step = done[static_cast<size_t>(after - first) - 1];
      of_step = std::max(of_step, end_of(p, row));
    } else if (before_all || start < first->end_ns) {
      earlier = std::max(earlier, end_of(p, row));
    }
  }
  int64_t before = earlier;
  for (size_t i = 0; i < count; ++i) {
    const int64_t start = std::max(first[i].start_ns, std::min(before, done[i]));
    out.push_back({first[i].rank, first[i].number, start, std::max(start, done[i])});
    before = std::max(before, out.back().end_ns);
  }
}

}  // namespace

std::vector<StepTime> step_times(const Profile& p, const RowLinks& event_call, const std::vector<Step>& steps) {
  const std::vector<int64_t> launched_ns = first_launched(p, event_call);
  std::vector<StepTime> out;
  out.reserve(steps.size());
  for (size_t begin = 0; begin < steps.size();) {
    size_t end = begin + 1;
    while (end < steps.size() && steps[end].rank == steps[begin].rank) ++end;
    add_rank(p, event_call, launched_ns, steps.data() + begin, steps.data() + end, out);
    begin = end;
  }
  return out;
}

std::vector<int64_t> ends_of_earlier_work(const Profile& p, const RowLinks& event_call) {
  const auto& events = p.device_events;
  std::vector<uint32_t> first(p.devices.size(), kNone);
  for (uint32_t row = 0; row < events.size(); ++row) {
    if (!is_device_work(events.kind[row])) continue;
    uint32_t& of_device = first[events.device[row]];
    if (of_device == kNone || events.start_ns[row] < events.start_ns[of_device]) of_device = row;
  }
  std::vector<size_t> queued(p.devices.size());  // launched between the launch and the start of the first
  for (uint32_t row = 0; row < events.size(); ++row) {
    const uint32_t call = event_call[row], device = events.device[row];
    if (!is_device_work(events.kind[row]) || call == kNone || event_call[first[device]] == kNone) continue;
    const int64_t launched = p.calls.start_ns[call];
    queued[device] += row != first[device] && launched > p.calls.start_ns[event_call[first[device]]] &&
                      launched < events.start_ns[first[device]];
  }
  std::vector<int64_t> ends(p.devices.size(), INT64_MIN);
  for (uint32_t device = 0; device < ends.size(); ++device) {
    if (queued[device] < kBacklog) continue;
    const int64_t start = events.start_ns[first[device]];
    if (start - p.calls.start_ns[event_call[first[device]]] >= kBacklogNs) ends[device] = start;
  }
  return ends;
}

Span run_time(const Profile& p, const RowLinks& event_call, uint32_t rank) {
  Span run{INT64_MAX, INT64_MIN};
  const auto add = [&](int64_t start_ns, int64_t end_ns) {
    run.start_ns = std::min(run.start_ns, start_ns);
    run.end_ns = std::max(run.end_ns, end_ns);
  };
  for (size_t row = 0; row < p.operators.size(); ++row) {
    if (rank_of_operator(p, row) == rank)
      add(p.operators.start_ns[row], p.operators.start_ns[row] + p.operators.duration_ns[row]);
  }
  const int64_t operators_end = run.end_ns;
  CallRoles roles(p);
  for (uint32_t row = 0; row < p.calls.size(); ++row) {
    if (rank_of_call(p, row) != rank) continue;
    const int64_t start = p.calls.start_ns[row], end = start + p.calls.duration_ns[row];
    const bool stops = operators_end != INT64_MIN && end > operators_end && roles(row) == CallRole::kDeviceSync;
    add(start, stops ? start : end);
  }
  for (size_t row = 0; row < p.device_events.size(); ++row) {
    if (is_work_of(p, row, rank)) add(p.device_events.start_ns[row], end_of(p, row));
  }
  if (run.end_ns < run.start_ns) return {0, 0};
  const int64_t earlier = end_of_earlier_work(p, event_call, rank);
  if (earlier > run.start_ns && earlier < run.end_ns) run.start_ns = earlier;
  return run;
}

}  // namespace warplens::analysis
