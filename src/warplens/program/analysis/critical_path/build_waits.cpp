#include "warplens/program/analysis/critical_path/build_waits.h"

#include <algorithm>
#include <unordered_map>

#include "warplens/base/text.h"

namespace warplens::analysis {
namespace {

constexpr int64_t kClockSlackNs = 2000;      // host and device clocks agree no better than this
constexpr int64_t kLongLaunchNs = 50'000;    // a launch this long waited for room in the queue
constexpr int64_t kWaitingCallNs = 4000;     // own work of a call that otherwise waits
constexpr int64_t kReadBackReturnNs = 2500;  // of a wait for a copy to the host, what recording adds (docs/findings.md)
constexpr int64_t kLongFreeNs = 20'000;

class WaitBuilder {
 public:
  WaitBuilder(const Profile& p, const Links& links, CallRoles& roles, Program& program)
      : p_(p),
        roles_(roles),
        program_(program),
        last_(program.streams.size(), kNone),
        history_(program.streams.size()),
        pending_(program.streams.size()) {
    for (uint32_t row = 0; row < links.sync_call.size(); ++row) {
      if (links.sync_call[row] != kNone) sync_of_call_.emplace(links.sync_call[row], row);
    }
  }

  void run() {
    for (ProgramCall& call : program_.calls) {
      const CallRole role = roles_(call.row);
      for (uint32_t e = call.events_begin; e < call.events_end; ++e) add_event(e);
      if (role == CallRole::kEventRecord) recorded_.emplace(p_.calls.correlation[call.row], last_);
      if (role == CallRole::kStreamWait) stream_wait(call);
      add_call_waits(call, role);
    }
  }

 private:
  int64_t end_of(uint32_t event) const {
    const uint32_t row = program_.events[event].row;
    return p_.device_events.start_ns[row] + p_.device_events.duration_ns[row];
  }

  bool is_read_back(uint32_t event) const {
    return event != kNone && p_.device_events.copy_kind[program_.events[event].row] == CopyKind::kDeviceToHost;
  }

  void add_event(uint32_t index) {
    ProgramEvent& event = program_.events[index];
    event.waits_begin = static_cast<uint32_t>(program_.waits.size());
    for (const uint32_t other : pending_[event.stream]) {
      if (end_of(other) <= p_.device_events.start_ns[event.row] + kClockSlackNs) program_.waits.push_back(other);
    }
    pending_[event.stream].clear();
    event.waits_end = static_cast<uint32_t>(program_.waits.size());
    last_[event.stream] = index;
    newest_ = index;
    history_[event.stream].push_back(index);
  }

  uint32_t stream_index(int64_t stream) const {
    for (uint32_t i = 0; i < program_.streams.size(); ++i) {
      if (program_.streams[i].second == stream) return i;
    }
    return kNone;
  }

  void stream_wait(const ProgramCall& call) {
    const auto sync = sync_of_call_.find(call.row);
    const auto& syncs = p_.synchronizations;
    if (sync != sync_of_call_.end() && syncs.stream[sync->second] >= 0) {
      const uint32_t waiting = stream_index(syncs.stream[sync->second]),
                     on = stream_index(syncs.wait_on_stream[sync->second]);
      if (waiting == kNone || on == kNone) return;
      const auto at_record = recorded_.find(syncs.wait_on_correlation[sync->second]);
      const uint32_t event = at_record != recorded_.end() ? at_record->second[on] : last_[on];
      if (event != kNone && waiting != on) pending_[waiting].push_back(event);
      return;
    }
    // Which stream waits is not recorded: the next event of each stream may, where its start agrees.
    for (uint32_t waiting = 0; waiting < pending_.size(); ++waiting) {
      for (uint32_t on = 0; on < last_.size(); ++on) {
        if (on != waiting && last_[on] != kNone) add_once(pending_[waiting], last_[on]);
      }
    }
  }

  static void add_once(std::vector<uint32_t>& list, uint32_t value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  }

  /// Events that may have released a call which returned at `end_ns`.
  void wait_for(ProgramCall& call, const std::vector<uint32_t>& events, int64_t own_ns) {
    call.waits_begin = static_cast<uint32_t>(program_.waits.size());
    int64_t last_end = INT64_MIN / 2;
    for (const uint32_t event : events) {
      if (event == kNone || end_of(event) > call.end_ns + kClockSlackNs) continue;
      program_.waits.push_back(event);
      last_end = std::max(last_end, end_of(event));
    }
    call.waits_end = static_cast<uint32_t>(program_.waits.size());
    if (!call.blocks()) return;
    call.own_ns = std::min(call.own_ns, own_ns);
    call.return_ns = std::max<int64_t>(0, call.end_ns - std::max(last_end, call.start_ns + own_ns));
    if (last_end < call.start_ns) call.return_ns = std::min<int64_t>(call.return_ns, own_ns);
    if (is_read_back(events.back())) call.return_ns = std::max<int64_t>(0, call.return_ns - kReadBackReturnNs);
  }

  /// The event of any stream that ended last before `end_ns`.
  uint32_t last_ended(int64_t end_ns) const {
    uint32_t best = kNone;
    for (const std::vector<uint32_t>& events : history_) {
      for (size_t i = events.size(); i-- > 0;) {
        if (end_of(events[i]) > end_ns) continue;
        if (best == kNone || end_of(events[i]) > end_of(best)) best = events[i];
        break;
      }
    }
    return best;
  }

  void add_call_waits(ProgramCall& call, CallRole role) {
    call.waits_begin = call.waits_end = static_cast<uint32_t>(program_.waits.size());
    const int64_t length = call.end_ns - call.start_ns;
    switch (role) {
      case CallRole::kDeviceSync: return wait_for(call, last_, kWaitingCallNs);
      case CallRole::kStreamSync: return wait_for(call, {synchronized_event(call)}, kWaitingCallNs);
      case CallRole::kEventSync:
        if (length > kWaitingCallNs) wait_for(call, {last_ended(call.end_ns)}, kWaitingCallNs);
        return;
      case CallRole::kFree:
        if (length > kLongFreeNs && !contains(p_.text(p_.calls.name[call.row]), "Async")) wait_for(call, last_, length);
        return;
      case CallRole::kCopy: return copy_waits(call);
      case CallRole::kLaunch:
      case CallRole::kGraphLaunch:
        if (length > kLongLaunchNs) queue_wait(call);
        return;
      default: return;
    }
  }

  uint32_t synchronized_event(const ProgramCall& call) const {
    const auto sync = sync_of_call_.find(call.row);
    if (sync != sync_of_call_.end() && p_.synchronizations.stream[sync->second] >= 0) {
      const uint32_t stream = stream_index(p_.synchronizations.stream[sync->second]);
      return stream == kNone ? kNone : last_[stream];
    }
    if (newest_ != kNone && end_of(newest_) <= call.end_ns + kClockSlackNs) return newest_;
    return last_ended(call.end_ns);
  }

  void copy_waits(ProgramCall& call) {
    if (call.events_begin == call.events_end) return;
    const std::string_view name = p_.text(p_.device_events.name[program_.events[call.events_begin].row]);
    if (contains(name, "Pageable") && call.end_ns - call.start_ns > kLongFreeNs) return staged_copy(call);
    const bool asynchronous = contains(p_.text(p_.calls.name[call.row]), "Async") && !contains(name, "Pageable");
    if (!asynchronous) wait_for(call, {call.events_end - 1}, kWaitingCallNs);
  }

  /// The host stages a large pageable copy piece by piece: the call ends about when the copy does, a little before or
  /// after.
  void staged_copy(ProgramCall& call) {
    const uint32_t copy = call.events_end - 1;
    call.waits_begin = static_cast<uint32_t>(program_.waits.size());
    program_.waits.push_back(copy);
    call.waits_end = call.waits_begin + 1;
    call.own_ns = std::min(call.own_ns, kWaitingCallNs);
    call.return_ns = call.end_ns - end_of(copy);
  }

  void queue_wait(ProgramCall& call) {
    const uint32_t event = last_ended(call.end_ns);
    if (event != kNone && end_of(event) > call.start_ns && event < call.events_begin)
      wait_for(call, {event}, kWaitingCallNs);
  }

  const Profile& p_;
  CallRoles& roles_;
  Program& program_;
  std::vector<uint32_t> last_;                  // of each stream
  std::vector<std::vector<uint32_t>> history_;  // of each stream
  std::vector<std::vector<uint32_t>> pending_;  // of each stream: what its next event waits for
  uint32_t newest_ = kNone;
  std::unordered_map<uint32_t, uint32_t> sync_of_call_;
  std::unordered_map<int64_t, std::vector<uint32_t>> recorded_;  // last_ when an event was recorded, by correlation
};

}  // namespace

void add_waits(const Profile& profile, const Links& links, CallRoles& roles, Program& program) {
  WaitBuilder(profile, links, roles, program).run();
}

}  // namespace warplens::analysis
