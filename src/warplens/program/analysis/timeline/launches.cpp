#include "warplens/program/analysis/timeline/launches.h"

#include <algorithm>
#include <map>
#include <vector>

#include "warplens/program/analysis/intervals.h"

namespace warplens::analysis {
namespace {

struct Change {
  int64_t time_ns;
  int by;
};

/// Calls `visit(value, nanoseconds)` for each stretch of [start, end) in which the running sum of changes is constant.
template <typename Visit>
void integrate(std::vector<Change>& changes, int64_t start_ns, int64_t end_ns, Visit visit) {
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time_ns < b.time_ns; });
  int64_t value = 0, now = start_ns;
  for (const Change& change : changes) {
    const int64_t until = std::clamp(change.time_ns, start_ns, end_ns);
    if (until > now) {
      visit(value, until - now);
      now = until;
    }
    value += change.by;
  }
  if (end_ns > now) visit(value, end_ns - now);
}

void set_latencies(std::vector<int64_t>& latencies, LaunchStatistics& out) {
  if (latencies.empty()) return;
  std::sort(latencies.begin(), latencies.end());
  auto at = [&](double share) {
    return latencies[static_cast<size_t>(share * static_cast<double>(latencies.size() - 1))];
  };
  out.latency_min_ns = latencies.front();
  out.latency_median_ns = at(0.5);
  out.latency_p99_ns = at(0.99);
}

/// Adds `length` of [from, to) to the slots it lies in, as shares of a slot.
void spread(std::vector<double>& slots, int64_t start_ns, int64_t slot_ns, int64_t from, int64_t to, double weight) {
  from = std::max(from, start_ns);
  to = std::min(to, start_ns + slot_ns * static_cast<int64_t>(slots.size()));
  for (int64_t slot = (from - start_ns) / slot_ns; from < to; ++slot) {
    const int64_t until = std::min(to, start_ns + (slot + 1) * slot_ns);
    slots[static_cast<size_t>(slot)] += weight * static_cast<double>(until - from) / static_cast<double>(slot_ns);
    from = until;
  }
}

}  // namespace

QueueOverTime queue_over_time(const Profile& p, const Causes& causes, uint32_t device, int64_t start_ns, int64_t end_ns,
                              size_t slots) {
  QueueOverTime out;
  if (end_ns <= start_ns || slots == 0) return out;
  out.slot_ns = (end_ns - start_ns + static_cast<int64_t>(slots) - 1) / static_cast<int64_t>(slots);
  out.depth.assign(slots, 0);
  out.latency_ns.assign(slots, 0);
  std::vector<int64_t> kernels(slots, 0);
  std::vector<Change> queue;
  const auto& events = p.device_events;
  for (uint32_t row = 0; row < events.size(); ++row) {
    const uint32_t call = causes.links.event_call[row];
    if (events.device[row] != device || !is_device_work(events.kind[row]) || call == kNone) continue;
    const int64_t launched = p.calls.start_ns[call], start = std::max(events.start_ns[row], launched);
    if (launched < end_ns && start > start_ns) {
      queue.push_back({launched, 1});
      queue.push_back({start, -1});
    }
    if (start < start_ns || start >= end_ns) continue;
    const auto slot = static_cast<size_t>((start - start_ns) / out.slot_ns);
    ++kernels[slot];
    out.latency_ns[slot] += static_cast<double>(start - launched);
  }
  int64_t at = start_ns;
  integrate(queue, start_ns, end_ns, [&](int64_t depth, int64_t length) {
    if (depth > 0) spread(out.depth, start_ns, out.slot_ns, at, at + length, static_cast<double>(depth));
    at += length;
  });
  for (size_t slot = 0; slot < slots; ++slot) {
    if (kernels[slot]) out.latency_ns[slot] /= static_cast<double>(kernels[slot]);
  }
  return out;
}

bool shorter_than_launch(const Profile& p, uint32_t event, uint32_t call) {
  return p.device_events.kind[event] == DeviceEventKind::kKernel &&
         p.device_events.duration_ns[event] < p.calls.duration_ns[call];
}

LaunchStatistics launch_statistics(const Profile& p, const Causes& causes, uint32_t device, int64_t start_ns,
                                   int64_t end_ns) {
  LaunchStatistics out;
  const auto& events = p.device_events;
  std::vector<int64_t> latencies;
  std::vector<Change> queue, working;
  std::map<int64_t, std::vector<Span>> streams;
  for (uint32_t row = 0; row < events.size(); ++row) {
    if (events.device[row] != device || !is_device_work(events.kind[row])) continue;
    const int64_t start = events.start_ns[row], end = start + events.duration_ns[row];
    if (end > start_ns && start < end_ns) streams[events.stream[row]].push_back({start, end});
    const uint32_t call = causes.links.event_call[row];
    if (call == kNone) continue;
    const int64_t launched = p.calls.start_ns[call];
    if (launched < end_ns && start > start_ns) {
      queue.push_back({launched, 1});
      queue.push_back({std::max(start, launched), -1});
    }
    if (start < start_ns || start >= end_ns || events.kind[row] != DeviceEventKind::kKernel) continue;
    ++out.kernels;
    latencies.push_back(start - launched);
    out.shorter_than_launch += shorter_than_launch(p, row, call);
  }
  set_latencies(latencies, out);
  double queued = 0;
  integrate(queue, start_ns, end_ns, [&](int64_t depth, int64_t length) {
    queued += static_cast<double>(depth) * static_cast<double>(length);
    out.queue_max = std::max(out.queue_max, depth);
    if (depth == 0) out.queue_empty_ns += length;
  });
  out.queue_mean = end_ns > start_ns ? queued / static_cast<double>(end_ns - start_ns) : 0;
  for (auto& [stream, spans] : streams) {
    for (const Span& span : unite(std::move(spans))) {
      working.push_back({span.start_ns, 1});
      working.push_back({span.end_ns, -1});
    }
  }
  double worked = 0, busy = 0;
  integrate(working, start_ns, end_ns, [&](int64_t count, int64_t length) {
    if (count > 0)
      busy += static_cast<double>(length), worked += static_cast<double>(count) * static_cast<double>(length);
    if (count > 1) out.several_streams_ns += length;
  });
  out.streams_mean = busy > 0 ? worked / busy : 0;
  return out;
}

}  // namespace warplens::analysis
