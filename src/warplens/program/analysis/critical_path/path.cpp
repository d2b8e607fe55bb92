#include "warplens/program/analysis/critical_path/path.h"

#include <algorithm>

#include "warplens/program/analysis/timeline/activity.h"

namespace warplens::analysis {
namespace {

class Walk {
 public:
  Walk(const Profile& p, const Program& program) : p_(p), program_(program), run_(run_once(program)) {}

  CriticalPath go() {
    CriticalPath out;
    if (program_.calls.empty()) return out;
    uint32_t last = 0;
    int64_t device_end = INT64_MIN;
    for (uint32_t e = 0; e < program_.events.size(); ++e) {
      if (run_.event_end_ns[e] > device_end) {
        device_end = run_.event_end_ns[e];
        last = e;
      }
    }
    out.total_ns = std::max(device_end, run_.host_end_ns);
    if (run_.host_end_ns >= device_end) {
      add(out, PathKind::kHost, program_.calls.back().row, run_.host_end_ns - run_.call_end_ns.back());
      from_call_end(static_cast<uint32_t>(program_.calls.size() - 1));
    } else {
      from_event(last);
    }
    while (next_ != Next::kDone)
      next_ == Next::kEvent ? event(out) : next_ == Next::kCallEnd ? call_end(out) : call_start(out);
    std::reverse(out.segments.begin(), out.segments.end());
    return out;
  }

 private:
  enum class Next { kDone, kEvent, kCallEnd, kCallStart };
  void from_event(uint32_t e) {
    next_ = Next::kEvent;
    at_ = e;
  }
  void from_call_end(uint32_t i) {
    next_ = Next::kCallEnd;
    at_ = i;
  }
  void from_call_start(uint32_t i) {
    next_ = Next::kCallStart;
    at_ = i;
  }

  static void add(CriticalPath& out, PathKind kind, uint32_t row, int64_t duration_ns) {
    if (duration_ns > 0) out.segments.push_back({kind, row, duration_ns});
  }

  PathKind kind_of(uint32_t row) const {
    if (p_.device_events.kind[row] != DeviceEventKind::kKernel) return PathKind::kCopy;
    return is_communication(p_, row) ? PathKind::kCommunication : PathKind::kKernel;
  }

  void event(CriticalPath& out) {
    const uint32_t e = at_, row = program_.events[e].row;
    const int64_t start = run_.event_start_ns[e];
    add(out, kind_of(row), row, run_.event_end_ns[e] - start);
    const uint32_t waited = run_.event_waited[e];
    if (waited != kNone) {
      add(out, PathKind::kDeviceGap, row, start - run_.event_end_ns[waited]);
      return from_event(waited);
    }
    add(out, PathKind::kLaunch, row, start - run_.call_start_ns[program_.events[e].call]);
    from_call_start(program_.events[e].call);
  }

  void call_end(CriticalPath& out) {
    const uint32_t i = at_, waited = run_.call_waited[i];
    if (run_.call_bound[i] == Bound::kDevice && waited != kNone) {
      add(out, PathKind::kReturn, program_.calls[i].row, run_.call_end_ns[i] - run_.event_end_ns[waited]);
      return from_event(waited);
    }
    add(out, PathKind::kHost, program_.calls[i].row, run_.call_end_ns[i] - run_.call_start_ns[i]);
    from_call_start(i);
  }

  void call_start(CriticalPath& out) {
    const uint32_t i = at_;
    const int64_t before = i ? run_.call_end_ns[i - 1] : 0;
    add(out, PathKind::kHost, program_.calls[i].row, run_.call_start_ns[i] - before);
    if (i == 0) next_ = Next::kDone;
    else from_call_end(i - 1);
  }

  const Profile& p_;
  const Program& program_;
  const Schedule run_;
  Next next_ = Next::kDone;
  uint32_t at_ = 0;
};

}  // namespace

std::string_view path_kind_name(PathKind kind) {
  static constexpr std::string_view kNames[] = {
      "host", "launch latency", "kernel", "copy", "communication", "gap between kernels", "return to the host"};
  return kNames[static_cast<size_t>(kind)];
}

CriticalPath critical_path(const Profile& profile, const Program& program) { return Walk(profile, program).go(); }

}  // namespace warplens::analysis
