#include "warplens/program/analysis/timeline/activity.h"

#include "warplens/trace/profile/job/meetings.h"

namespace warplens::analysis {

TimeSet Activity::busy() const {
  std::vector<Span> spans = computation;
  spans.insert(spans.end(), communication.begin(), communication.end());
  spans.insert(spans.end(), copies.begin(), copies.end());
  return unite(std::move(spans));
}

bool is_communication(const Profile& profile, uint32_t row) {
  if (profile.device_events.kind[row] != DeviceEventKind::kKernel) return false;
  if (profile.device_events.collective[row] != kNone) return true;
  return job::names_communication(profile.text(profile.device_events.name[row]));
}

TimeSet& part_of(const Profile& profile, uint32_t row, Activity& activity) {
  if (profile.device_events.kind[row] != DeviceEventKind::kKernel) return activity.copies;
  return is_communication(profile, row) ? activity.communication : activity.computation;
}

Activity united(Activity spans) {
  return {unite(std::move(spans.computation)), unite(std::move(spans.communication)), unite(std::move(spans.copies))};
}

Activity device_activity(const Profile& profile, uint32_t device) {
  const auto& events = profile.device_events;
  Activity spans;
  for (uint32_t row = 0; row < events.size(); ++row) {
    if (events.device[row] != device || events.kind[row] == DeviceEventKind::kRange) continue;
    part_of(profile, row, spans).push_back({events.start_ns[row], events.start_ns[row] + events.duration_ns[row]});
  }
  return united(std::move(spans));
}

Activity clip(const Activity& activity, int64_t start_ns, int64_t end_ns) {
  return {clip(activity.computation, start_ns, end_ns), clip(activity.communication, start_ns, end_ns),
          clip(activity.copies, start_ns, end_ns)};
}

}  // namespace warplens::analysis
