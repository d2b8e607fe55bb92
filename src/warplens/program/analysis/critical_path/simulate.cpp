#include "warplens/program/analysis/critical_path/simulate.h"

#include <algorithm>

#include "warplens/program/analysis/critical_path/hand_overs.h"

namespace warplens::analysis {
namespace {

constexpr size_t kQueueDepth = 1024;  // launches that fit in the queue before a launch call waits
constexpr int kRounds = 3;            // the last of them has the rounds before it behind it, as a running program has

/// A change, looked up by index instead of by row.
struct Applied {
  std::vector<int64_t> duration, before, own, added;
  std::vector<uint8_t> event_removed, prefetched, detached, undelayed, in_graph, waits;
  int64_t tail_ns = 0, tail_added = 0;
};

/// Share of [start, end) that `removed` leaves; `next` only moves forward.
class Remaining {
 public:
  explicit Remaining(const TimeSet& removed) : removed_(removed) {}
  double share(int64_t start_ns, int64_t end_ns) {
    while (next_ < removed_.size() && removed_[next_].end_ns <= start_ns) ++next_;
    if (end_ns <= start_ns) return next_ < removed_.size() && removed_[next_].start_ns <= start_ns ? 0.0 : 1.0;
    int64_t gone = 0;
    for (size_t i = next_; i < removed_.size() && removed_[i].start_ns < end_ns; ++i)
      gone += std::min(end_ns, removed_[i].end_ns) - std::max(start_ns, removed_[i].start_ns);
    return 1.0 - static_cast<double>(gone) / static_cast<double>(end_ns - start_ns);
  }

 private:
  const TimeSet& removed_;
  size_t next_ = 0;
};

void apply_host(const Program& program, const Change& change, Applied& out) {
  const TimeSet removed = unite(change.host_removed);
  Remaining gaps(removed), own(removed);
  auto added = change.host_added;
  std::sort(added.begin(), added.end());
  size_t next = 0;
  for (size_t i = 0; i < program.calls.size(); ++i) {
    const ProgramCall& call = program.calls[i];
    out.before[i] =
        static_cast<int64_t>(static_cast<double>(call.before_ns) * gaps.share(call.gap_start_ns, call.start_ns));
    const double kept = own.share(call.start_ns, call.end_ns);
    out.own[i] = static_cast<int64_t>(static_cast<double>(call.own_ns) * kept);
    out.in_graph[i] = change.graph && kept < 0.5;
    for (; next < added.size() && added[next].first <= call.start_ns; ++next) out.before[i] += added[next].second;
  }
  out.tail_ns =
      static_cast<int64_t>(static_cast<double>(program.tail_ns) *
                           gaps.share(program.tail_start_ns, std::max(program.tail_start_ns, program.end_ns)));
  wake_faster(program, out.own, out.before, out.tail_ns);
  for (; next < added.size(); ++next) out.tail_ns += added[next].second;
}

Applied apply(const Program& program, const Change& change) {
  Applied out;
  const size_t calls = program.calls.size(), events = program.events.size();
  out.before.resize(calls);
  out.own.resize(calls);
  out.in_graph.resize(calls);
  out.waits.assign(calls, 1);
  out.duration.resize(events);
  out.event_removed.assign(events, 0);
  out.prefetched.assign(events, 0);
  out.detached.assign(events, 0);
  out.undelayed.assign(events, 0);
  for (size_t i = 0; i < events; ++i) out.duration[i] = program.events[i].duration_ns;
  auto index = [&](uint32_t row) { return program.event_of_row[row]; };
  for (const auto& [row, duration] : change.event_duration) {
    if (index(row) != kNone) out.duration[index(row)] = duration;
  }
  for (const uint32_t row : change.events_removed) {
    if (index(row) != kNone) out.event_removed[index(row)] = 1;
  }
  for (const uint32_t row : change.prefetched) {
    if (index(row) != kNone) out.prefetched[index(row)] = 1;
  }
  for (const uint32_t row : change.detached) {
    if (index(row) != kNone) out.detached[index(row)] = 1;
  }
  for (const uint32_t row : change.undelayed) {
    if (index(row) != kNone) out.undelayed[index(row)] = 1;
  }
  std::vector<uint32_t> free_calls = change.calls_not_waiting;
  std::sort(free_calls.begin(), free_calls.end());
  for (size_t i = 0; i < calls; ++i) {
    if (std::binary_search(free_calls.begin(), free_calls.end(), program.calls[i].row)) out.waits[i] = 0;
  }
  apply_host(program, change, out);
  return out;
}

class Run {
 public:
  Run(const Program& program, const Change& change, Schedule* schedule)
      : program_(program),
        change_(change),
        applied_(apply(program, change)),
        schedule_(schedule),
        stream_end_(program.streams.size(), INT64_MIN / 2),
        stream_last_(program.streams.size(), kNone),
        side_end_(program.streams.size(), INT64_MIN / 2),
        event_end_(program.events.size(), 0) {
    if (!schedule_) return;
    for (auto* times : {&schedule_->call_start_ns, &schedule_->call_end_ns}) times->resize(program.calls.size());
    for (auto* times : {&schedule_->event_start_ns, &schedule_->event_end_ns}) times->resize(program.events.size());
    schedule_->call_bound.resize(program.calls.size());
    schedule_->event_bound.resize(program.events.size());
    schedule_->call_waited.assign(program.calls.size(), kNone);
    schedule_->event_waited.assign(program.events.size(), kNone);
  }

  /// One pass over the window; returns when host and devices have finished it.
  int64_t round() {
    round_start_ = std::max(now_, device_end_);
    for (uint32_t i = 0; i < program_.calls.size(); ++i) call(i);
    now_ += applied_.tail_ns;
    if (schedule_) schedule_->host_end_ns = now_;
    return std::max(now_, device_end_);
  }

 private:
  void call(uint32_t i) {
    const ProgramCall& c = program_.calls[i];
    now_ += applied_.before[i];
    int64_t start = now_;
    for (uint32_t e = c.events_begin; e < c.events_end; ++e) {
      if (!applied_.event_removed[e]) event(e, i, start);
    }
    now_ += applied_.own[i];
    uint32_t waited = kNone;
    Bound bound = Bound::kHost;
    if (c.blocks() && applied_.waits[i]) {
      for (uint32_t w = c.waits_begin; w < c.waits_end; ++w) {
        const uint32_t other = program_.waits[w];
        if (applied_.event_removed[other] || event_end_[other] + c.return_ns <= now_) continue;
        now_ = event_end_[other] + c.return_ns;
        waited = other;
        bound = Bound::kDevice;
      }
    }
    if (schedule_) {
      schedule_->call_start_ns[i] = start;
      schedule_->call_end_ns[i] = now_;
      schedule_->call_bound[i] = bound;
      schedule_->call_waited[i] = waited;
    }
  }

  /// A launch waits for room where more than kQueueDepth events are under way.
  int64_t queue_room(int64_t start) {
    const int64_t free_at = queue_[queue_at_];
    return std::max(start, free_at);
  }

  void event(uint32_t e, uint32_t by, int64_t& call_start) {
    const ProgramEvent& event = program_.events[e];
    const bool graph = applied_.in_graph[by];
    const int64_t room = queue_room(call_start);
    if (room > call_start) {
      now_ += room - call_start;
      call_start = room;
    }
    int64_t ready = call_start + (graph ? 0 : event.latency_ns);
    Bound bound = Bound::kLaunch;
    uint32_t waited = kNone;
    auto after = [&](int64_t time, Bound why, uint32_t what) {
      if (time > ready) {
        ready = time;
        bound = why;
        waited = what;
      }
    };
    int64_t end;
    if (applied_.prefetched[e]) {
      after(side_end_[event.stream], Bound::kStream, kNone);
      if (!change_.prefetch_across_steps) after(round_start_, Bound::kStream, kNone);
      end = ready + applied_.duration[e];
      side_end_[event.stream] = end;
      stream_end_[event.stream] = std::max(stream_end_[event.stream], end);  // what follows on its stream uses it
    } else if (applied_.detached[e]) {
      after(stream_end_[event.stream], Bound::kStream, stream_last_[event.stream]);
      after(side_end_[event.stream], Bound::kStream, kNone);
      end = ready + applied_.duration[e];
      side_end_[event.stream] = end;
    } else {
      const int64_t gap = graph ? std::min(event.gap_ns, kGraphNodeGapNs) : event.gap_ns;
      after(stream_end_[event.stream] + gap, Bound::kStream, stream_last_[event.stream]);
      for (uint32_t w = event.waits_begin; w < event.waits_end; ++w) {
        if (!applied_.event_removed[program_.waits[w]])
          after(event_end_[program_.waits[w]], Bound::kEvent, program_.waits[w]);
      }
      if (!graph && !applied_.undelayed[e]) ready += event.delay_ns;
      end = ready + applied_.duration[e];
      stream_end_[event.stream] = end;
    }
    if (!applied_.detached[e]) stream_last_[event.stream] = e;
    event_end_[e] = end;
    device_end_ = std::max(device_end_, end);
    queue_[queue_at_] = end;
    queue_at_ = (queue_at_ + 1) % kQueueDepth;
    if (schedule_) {
      schedule_->event_start_ns[e] = ready;
      schedule_->event_end_ns[e] = end;
      schedule_->event_bound[e] = bound;
      schedule_->event_waited[e] = waited;
    }
  }

  const Program& program_;
  const Change& change_;
  const Applied applied_;
  Schedule* schedule_;
  std::vector<int64_t> stream_end_;
  std::vector<uint32_t> stream_last_;
  std::vector<int64_t> side_end_, event_end_;
  std::vector<int64_t> queue_ = std::vector<int64_t>(kQueueDepth, INT64_MIN / 2);
  size_t queue_at_ = 0;
  int64_t now_ = 0, device_end_ = 0, round_start_ = 0;
};

}  // namespace

int64_t step_time_ns(const Program& program, const Change& change) {
  Run run(program, change, nullptr);
  int64_t before = 0, end = 0;
  for (int i = 0; i < kRounds; ++i) {
    before = end;
    end = run.round();
  }
  return (end - before) / static_cast<int64_t>(program.steps);
}

Schedule run_once(const Program& program, const Change& change) {
  Schedule schedule;
  Run(program, change, &schedule).round();
  return schedule;
}

}  // namespace warplens::analysis
