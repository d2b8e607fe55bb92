#include "warplens/program/analysis/links.h"

#include "warplens/base/timing.h"
#include "warplens/program/analysis/id_index.h"

namespace warplens::analysis {
namespace {

/// By rank: whether its calls carry their correlation as external id, as kineto wrote in 2022 and 2023. Those numbers
/// name other operators, or none.
std::vector<uint8_t> ids_are_correlations(const Profile& p) {
  constexpr double kNearlyAll = 0.95;
  constexpr size_t kLeast = 8;  // fewer may agree by chance
  std::vector<size_t> with_id(p.ranks.size(), 0), same(p.ranks.size(), 0);
  for (uint32_t row = 0; row < p.calls.size(); ++row) {
    if (p.calls.external_id[row] == 0 || p.calls.correlation[row] == 0) continue;
    const uint32_t rank = rank_of_call(p, row);
    ++with_id[rank];
    same[rank] += p.calls.external_id[row] == p.calls.correlation[row];
  }
  std::vector<uint8_t> out;
  for (size_t rank = 0; rank < with_id.size(); ++rank)
    out.push_back(same[rank] >= kLeast &&
                  static_cast<double>(same[rank]) >= kNearlyAll * static_cast<double>(with_id[rank]));
  return out;
}

/// The operator that an external id names; else the innermost one open on a thread.
class OperatorFinder {
 public:
  /// Without a forest one is built when it is first needed.
  OperatorFinder(const Profile& profile, const Forest* operators)
      : profile_(profile),
        operators_(operators),
        by_id_(profile.operators.external_id.values(), profile.ranks.size(),
               [&](size_t row) { return rank_of_operator(profile, row); }),
        no_ids_(ids_are_correlations(profile)) {}

  uint32_t by_id(uint32_t rank, int64_t external_id) const {
    return no_ids_[rank] ? kNone : by_id_.find(rank, external_id);
  }

  uint32_t of_call(uint32_t call) {
    const auto& t = profile_.calls;
    const uint32_t op = by_id(rank_of_call(profile_, call), t.external_id[call]);
    return op != kNone ? op : around(t.thread[call], t.start_ns[call]);
  }

 private:
  uint32_t around(uint32_t thread, int64_t time_ns) {
    if (!operators_) {
      own_ = operator_forest(profile_);
      operators_ = &own_;
    }
    const auto& t = profile_.operators;
    return innermost_at(*operators_, t.start_ns.values(), t.duration_ns.values(), thread, time_ns);
  }

  const Profile& profile_;
  const Forest* operators_;
  Forest own_;
  IdIndex by_id_;
  std::vector<uint8_t> no_ids_;  // of ranks
};

IdIndex calls_by_correlation(const Profile& p) {
  return {p.calls.correlation.values(), p.ranks.size(), [&](size_t row) { return rank_of_call(p, row); }};
}

}  // namespace

RowLinks link_device_operators(const Profile& profile) {
  const TimedScope timed("link device events to operators");
  OperatorFinder finder(profile, nullptr);
  const auto& events = profile.device_events;
  RowLinks links(events.size());
  std::vector<uint32_t> lost;
  for (uint32_t row = 0; row < events.size(); ++row) {
    links[row] = finder.by_id(rank_of_event(profile, row), events.external_id[row]);
    if (links[row] == kNone) lost.push_back(row);
  }
  if (lost.empty()) return links;
  const IdIndex calls = calls_by_correlation(profile);
  for (const uint32_t row : lost) {
    const uint32_t call = calls.find(rank_of_event(profile, row), events.correlation[row]);
    if (call != kNone) links[row] = finder.of_call(call);
  }
  return links;
}

RowLinks link_device_calls(const Profile& profile) {
  const IdIndex calls = calls_by_correlation(profile);
  RowLinks links(profile.device_events.size());
  for (size_t row = 0; row < links.size(); ++row)
    links[row] = calls.find(rank_of_event(profile, row), profile.device_events.correlation[row]);
  return links;
}

Links link_events(const Profile& profile, const Forest& operators) {
  const TimedScope timed("link calls, operators and device events");
  OperatorFinder finder(profile, &operators);
  const IdIndex calls = calls_by_correlation(profile);
  Links links;
  links.call_operator.resize(profile.calls.size());
  for (uint32_t row = 0; row < links.call_operator.size(); ++row) links.call_operator[row] = finder.of_call(row);

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
    links.sync_call[row] = syncs.device[row] == kNone
                               ? kNone
                               : calls.find(profile.devices.rank[syncs.device[row]], syncs.correlation[row]);
  }
  return links;
}

}  // namespace warplens::analysis
