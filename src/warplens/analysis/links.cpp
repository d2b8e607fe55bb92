#include "warplens/analysis/links.h"

#include "warplens/analysis/id_index.h"
#include "warplens/base/timing.h"

namespace warplens::analysis {
namespace {

/// The operator that `external_id` names; else the innermost one open on `thread` at `time_ns`.
class OperatorFinder {
 public:
  OperatorFinder(const Profile& profile, const Forest& operators)
      : profile_(profile), operators_(operators),
        by_id_(profile.operators.external_id.values(), profile.ranks.size(), [&](size_t row) { return rank_of_operator(profile, row); }) {}

  uint32_t by_id(uint32_t rank, int64_t external_id) const { return by_id_.find(rank, external_id); }
  uint32_t around(uint32_t thread, int64_t time_ns) const {
    const auto& t = profile_.operators;
    return innermost_at(operators_, t.start_ns.values(), t.duration_ns.values(), thread, time_ns);
  }

 private:
  const Profile& profile_;
  const Forest& operators_;
  IdIndex by_id_;
};

RowLinks calls_to_operators(const Profile& profile, const OperatorFinder& finder) {
  RowLinks links(profile.calls.size());
  for (size_t row = 0; row < links.size(); ++row) {
    links[row] = finder.by_id(rank_of_call(profile, row), profile.calls.external_id[row]);
    if (links[row] == kNone) links[row] = finder.around(profile.calls.thread[row], profile.calls.start_ns[row]);
  }
  return links;
}

}  // namespace

Links link_events(const Profile& profile, const Forest& operators) {
  const TimedScope timed("link calls, operators and device events");
  const OperatorFinder finder(profile, operators);
  const IdIndex calls(profile.calls.correlation.values(), profile.ranks.size(), [&](size_t row) { return rank_of_call(profile, row); });
  Links links;
  links.call_operator = calls_to_operators(profile, finder);

  const auto& events = profile.device_events;
  links.event_call.resize(events.size());
  links.event_operator.resize(events.size());
  for (size_t row = 0; row < events.size(); ++row) {
    const uint32_t rank = rank_of_event(profile, row);
    const uint32_t call = calls.find(rank, events.correlation[row]);
    links.event_call[row] = call;
    const uint32_t op = finder.by_id(rank, events.external_id[row]);
    links.event_operator[row] = op != kNone || call == kNone ? op : links.call_operator[call];
  }
  const auto& syncs = profile.synchronizations;
  links.sync_call.resize(syncs.size());
  for (size_t row = 0; row < syncs.size(); ++row) {
    links.sync_call[row] = syncs.device[row] == kNone ? kNone : calls.find(profile.devices.rank[syncs.device[row]], syncs.correlation[row]);
  }
  return links;
}

}  // namespace warplens::analysis
