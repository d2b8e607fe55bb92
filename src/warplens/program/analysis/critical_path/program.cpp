#include "warplens/program/analysis/critical_path/program.h"

#include <algorithm>

#include "warplens/base/middle.h"
#include "warplens/base/timing.h"
#include "warplens/program/analysis/call_role.h"
#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/critical_path/build_waits.h"
#include "warplens/program/analysis/critical_path/hand_overs.h"
#include "warplens/program/analysis/critical_path/steady_host.h"
#include "warplens/program/analysis/steps/step_times.h"

namespace warplens::analysis {
namespace {

constexpr double kLeastShareKept = 0.25;      // of host work, however much was recorded in it
constexpr int64_t kReadBackLatencyNs = 3500;  // of a copy to the host, what recording adds (docs/findings.md)
constexpr int64_t kReadBackCallNs = 2500;
constexpr int64_t kSlowLaunchNs = 1'000'000;  // what such a call's kernel waits for is the call's own work
constexpr int64_t kDefaultLatencyNs = 6000, kDefaultGapNs = 1000;

/// Since when the rank's devices do nothing before `out.start_ns`: the last end of what they ran before, launched
/// before the recording. INT64_MAX where they ran nothing, or are still at it.
int64_t idle_before(const Profile& p, const Program& out) {
  int64_t since = INT64_MAX;
  for (size_t row = 0; row < p.device_events.size(); ++row) {
    const int64_t start = p.device_events.start_ns[row], end = start + p.device_events.duration_ns[row];
    if (start >= out.start_ns || rank_of_event(p, row) != out.rank || !is_device_work(p.device_events.kind[row]))
      continue;
    if (end >= out.start_ns) return INT64_MAX;
    since = since == INT64_MAX ? end : std::max(since, end);
  }
  return since;
}

void set_window(const Profile& p, const std::vector<Step>& steps, CallRoles& roles, Program& out) {
  size_t count = 0;
  out.start_ns = INT64_MAX;
  out.end_ns = INT64_MIN;
  for (const Step& step : steps) {
    if (step.rank != out.rank) continue;
    out.start_ns = std::min(out.start_ns, step.start_ns);
    out.end_ns = std::max(out.end_ns, step.end_ns);
    ++count;
  }
  out.has_steps = count != 0;
  out.steps = std::max<size_t>(count, 1);
  if (count) return;
  for (size_t row = 0; row < p.operators.size(); ++row) {
    if (rank_of_operator(p, row) != out.rank) continue;
    out.start_ns = std::min(out.start_ns, p.operators.start_ns[row]);
    out.end_ns = std::max(out.end_ns, p.operators.start_ns[row] + p.operators.duration_ns[row]);
  }
  const bool operators = out.end_ns != INT64_MIN;
  for (uint32_t row = 0; row < p.calls.size(); ++row) {
    if (rank_of_call(p, row) != out.rank) continue;
    const int64_t end = p.calls.start_ns[row] + p.calls.duration_ns[row];
    out.start_ns = std::min(out.start_ns, p.calls.start_ns[row]);
    // The profiler synchronizes when it stops: that wait is not the program's.
    if (!operators || end <= out.end_ns || roles(row) != CallRole::kDeviceSync) out.end_ns = std::max(out.end_ns, end);
  }
  out.start_ns = std::min(out.start_ns, idle_before(p, out));
}

/// Starts of rows of one table within the window, sorted: what the profiler recorded on the host.
template <typename Table, typename Mine>
std::vector<int64_t> starts_within(const Table& table, const Program& program, Mine mine) {
  std::vector<int64_t> out;
  for (size_t row = 0; row < table.size(); ++row) {
    const int64_t start = table.start_ns[row];
    if (start >= program.start_ns && start < program.end_ns && mine(row)) out.push_back(start);
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Takes the profiler's share out of host work: what it recorded between two moments that only move forward.
class Recording {
 public:
  Recording(const Profile& p, const std::vector<Step>& steps, const Program& program) : cost_(program.cost) {
    operators_ = starts_within(p.operators, program, [&](size_t row) {
      return rank_of_operator(p, row) == program.rank && p.operators.kind[row] != OperatorKind::kInstant;
    });
    frames_ = starts_within(p.python_frames, program,
                            [&](size_t row) { return p.threads.rank[p.python_frames.thread[row]] == program.rank; });
    std::vector<Span> spans;
    for (size_t row = 0; row < p.overheads.size(); ++row) {
      if (p.overheads.thread[row] < p.threads.size() && p.threads.rank[p.overheads.thread[row]] != program.rank)
        continue;
      spans.push_back({p.overheads.start_ns[row], p.overheads.start_ns[row] + p.overheads.duration_ns[row]});
    }
    // Between two steps the profiler's own step() runs.
    const Step* before = nullptr;
    for (const Step& step : steps) {
      if (step.rank != program.rank) continue;
      if (before && step.start_ns > before->end_ns) spans.push_back({before->end_ns, step.start_ns});
      before = &step;
    }
    overheads_ = unite(std::move(spans));
  }

  /// Work in [start, end) without the recording in it; `owed_ns` of that is of the call before.
  int64_t work_ns(int64_t start_ns, int64_t end_ns, double owed_ns) {
    if (end_ns <= start_ns) return 0;
    const auto operators = advance(operators_, next_operator_, end_ns);
    const auto frames = advance(frames_, next_frame_, end_ns);
    const int64_t overhead = overhead_ns(start_ns, end_ns);
    const double recorded =
        operators * cost_.per_operator_ns + frames * cost_.per_frame_ns + static_cast<double>(overhead) + owed_ns;
    const auto whole = static_cast<double>(end_ns - start_ns);
    const double kept = kLeastShareKept * (whole - static_cast<double>(overhead));
    return static_cast<int64_t>(std::max(whole - recorded, kept));
  }

 private:
  static double advance(const std::vector<int64_t>& starts, size_t& next, int64_t end_ns) {
    const size_t begin = next;
    while (next < starts.size() && starts[next] < end_ns) ++next;
    return static_cast<double>(next - begin);
  }
  int64_t overhead_ns(int64_t start_ns, int64_t end_ns) {
    while (next_overhead_ < overheads_.size() && overheads_[next_overhead_].end_ns <= start_ns) ++next_overhead_;
    int64_t total = 0;
    for (size_t i = next_overhead_; i < overheads_.size() && overheads_[i].start_ns < end_ns; ++i)
      total += std::min(end_ns, overheads_[i].end_ns) - std::max(start_ns, overheads_[i].start_ns);
    return total;
  }

  ProfilerCost cost_;
  std::vector<int64_t> operators_, frames_;
  TimeSet overheads_;
  size_t next_operator_ = 0, next_frame_ = 0, next_overhead_ = 0;
};

void add_calls(const Profile& p, const std::vector<Step>& steps, Program& out) {
  for (uint32_t row = 0; row < p.calls.size(); ++row) {
    const int64_t start = p.calls.start_ns[row];
    if (start < out.start_ns || start >= out.end_ns || rank_of_call(p, row) != out.rank) continue;
    out.calls.push_back({row, 0, start, start + std::max<int64_t>(p.calls.duration_ns[row], 0), 0, 0, 0, 0, 0, 0, 0});
  }
  std::sort(out.calls.begin(), out.calls.end(),
            [](const ProgramCall& a, const ProgramCall& b) { return a.start_ns < b.start_ns; });
  Recording recording(p, steps, out);
  int64_t now = out.start_ns, recorded = 0, kept = 0;
  double owed_ns = 0;
  for (ProgramCall& call : out.calls) {
    call.gap_start_ns = std::min(now, call.start_ns);
    call.before_ns = recording.work_ns(call.gap_start_ns, call.start_ns, owed_ns);
    const int64_t length = std::max<int64_t>(0, call.end_ns - std::max(call.start_ns, now));
    // A call that runs while another thread is in a call adds only what outlasts it.
    const double within_ns = std::min(out.cost.per_call_ns, static_cast<double>(length) / 3);
    call.own_ns = length - static_cast<int64_t>(within_ns);
    owed_ns = out.cost.per_call_ns - within_ns;  // recording goes on after a call has returned: short ones show it
    recorded += call.start_ns - call.gap_start_ns + length;
    kept += call.before_ns + call.own_ns;
    now = std::max(now, call.end_ns);
  }
  out.tail_start_ns = now;
  out.tail_ns = recording.work_ns(now, std::max(now, out.end_ns), owed_ns);
  out.recording_ns = recorded - kept + (std::max(now, out.end_ns) - now) - out.tail_ns;
}

void add_events(const Profile& p, const Links& links, Program& out) {
  std::vector<uint32_t> index_of_call(p.calls.size(), kNone);
  for (uint32_t i = 0; i < out.calls.size(); ++i) index_of_call[out.calls[i].row] = i;
  std::vector<std::pair<uint32_t, uint32_t>> order;  // (call, row)
  for (uint32_t row = 0; row < p.device_events.size(); ++row) {
    if (p.device_events.kind[row] == DeviceEventKind::kRange || links.event_call[row] == kNone) continue;
    const uint32_t call = index_of_call[links.event_call[row]];
    if (call != kNone) order.emplace_back(call, row);
  }
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return p.device_events.start_ns[a.second] < p.device_events.start_ns[b.second];
  });
  out.event_of_row.assign(p.device_events.size(), kNone);
  for (const auto& [call, row] : order) {
    const std::pair<uint32_t, int64_t> stream{p.device_events.device[row], p.device_events.stream[row]};
    auto at = std::find(out.streams.begin(), out.streams.end(), stream);
    if (at == out.streams.end()) at = out.streams.insert(at, stream);
    const auto index = static_cast<uint32_t>(out.events.size());
    out.event_of_row[row] = index;
    ProgramCall& by = out.calls[call];
    if (by.events_begin == by.events_end) by.events_begin = index;
    by.events_end = index + 1;
    out.events.push_back(
        {row, static_cast<uint32_t>(at - out.streams.begin()), call, p.device_events.duration_ns[row], 0, 0, 0, 0, 0});
  }
}

/// Recorded end of what ran on each stream before the window's own events.
std::vector<int64_t> ends_before(const Profile& p, const Program& program) {
  std::vector<int64_t> ends(program.streams.size(), INT64_MIN / 2), first(program.streams.size(), INT64_MAX);
  for (const ProgramEvent& event : program.events)
    first[event.stream] = std::min(first[event.stream], p.device_events.start_ns[event.row]);
  for (uint32_t row = 0; row < p.device_events.size(); ++row) {
    if (program.event_of_row[row] != kNone || p.device_events.kind[row] == DeviceEventKind::kRange) continue;
    const std::pair<uint32_t, int64_t> stream{p.device_events.device[row], p.device_events.stream[row]};
    const auto at = static_cast<size_t>(std::find(program.streams.begin(), program.streams.end(), stream) -
                                        program.streams.begin());
    if (at == program.streams.size() || p.device_events.start_ns[row] > first[at]) continue;
    ends[at] = std::max(ends[at], p.device_events.start_ns[row] + p.device_events.duration_ns[row]);
  }
  return ends;
}

/// Calls `visit(event, recorded start, recorded end of the event before it on its stream)`.
template <typename Visit>
void for_events(const Profile& p, Program& program, Visit visit) {
  std::vector<int64_t> before = ends_before(p, program);
  for (ProgramEvent& event : program.events) {
    const int64_t start = p.device_events.start_ns[event.row];
    visit(event, start, before[event.stream]);
    before[event.stream] = std::max(before[event.stream], start + event.duration_ns);
  }
}

void typical_delays(const Profile& p, Program& out) {
  std::vector<int64_t> latencies, gaps;
  for_events(p, out, [&](const ProgramEvent& event, int64_t start, int64_t before) {
    const ProgramCall& call = out.calls[event.call];
    if (before < call.start_ns && start >= call.start_ns) latencies.push_back(start - call.start_ns);
    if (before > call.end_ns && start >= before && start - before < 20'000) gaps.push_back(start - before);
  });
  out.launch_latency_ns = std::min<int64_t>(middle_of(latencies, kDefaultLatencyNs), 4 * kDefaultLatencyNs);
  out.stream_gap_ns = std::min<int64_t>(middle_of(gaps, kDefaultGapNs), 4 * kDefaultGapNs);
}

void explain_starts(const Profile& p, const Links& links, Program& out) {
  const std::vector<int64_t> earlier_work = ends_of_earlier_work(p, links.event_call);  // what first events waited for
  for_events(p, out, [&](ProgramEvent& event, int64_t start, int64_t before) {
    const int64_t call_start = out.calls[event.call].start_ns;
    event.latency_ns = std::clamp<int64_t>(start - call_start, 0, out.launch_latency_ns);
    event.gap_ns = std::min(start - before, out.stream_gap_ns);
    const ProgramCall& call = out.calls[event.call];
    const bool slow_call = call.end_ns - call_start > kSlowLaunchNs && !call.blocks();  // loads code, compiles
    int64_t bound = std::max(call_start + event.latency_ns, before + event.gap_ns);
    for (uint32_t w = event.waits_begin; w < event.waits_end; ++w) {
      const ProgramEvent& other = out.events[out.waits[w]];
      bound = std::max(bound, p.device_events.start_ns[other.row] + other.duration_ns);
    }
    if (slow_call) bound = std::max(bound, std::min(start, call.end_ns + out.launch_latency_ns));
    const bool waited = start == earlier_work[p.device_events.device[event.row]];
    event.delay_ns = waited ? 0 : std::max<int64_t>(0, start - bound);
    if (p.device_events.copy_kind[event.row] == CopyKind::kDeviceToHost)
      event.latency_ns = std::max<int64_t>(0, event.latency_ns - kReadBackLatencyNs);
  });
}

}  // namespace

bool Program::calls_within(Span host) const {
  const auto first = std::lower_bound(calls.begin(), calls.end(), host.start_ns,
                                      [](const ProgramCall& call, int64_t time) { return call.start_ns < time; });
  return first != calls.end() && first->start_ns < host.end_ns;
}

Program build_program(const Profile& profile, const Forest& operators, const Links& links,
                      const std::vector<Step>& steps, uint32_t rank) {
  const TimedScope timed("program graph");
  Program out;
  out.rank = rank;
  out.cost = measure_profiler_cost(profile, operators, rank);
  CallRoles roles(profile);
  set_window(profile, steps, roles, out);
  add_calls(profile, steps, out);
  take_steady_host(steps, out);
  find_hand_overs(profile, operators, out);
  add_events(profile, links, out);
  typical_delays(profile, out);
  for (const ProgramEvent& event : out.events) {
    if (profile.device_events.copy_kind[event.row] != CopyKind::kDeviceToHost) continue;
    ProgramCall& call = out.calls[event.call];
    call.own_ns = std::max(call.own_ns / 4, call.own_ns - kReadBackCallNs);
  }
  add_waits(profile, links, roles, out);
  explain_starts(profile, links, out);
  return out;
}

}  // namespace warplens::analysis
