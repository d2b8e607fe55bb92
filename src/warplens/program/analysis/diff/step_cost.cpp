#include "warplens/program/analysis/diff/step_cost.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/program/analysis/classify/classify.h"
#include "warplens/program/analysis/intervals.h"
#include "warplens/program/analysis/links.h"
#include "warplens/program/analysis/steps/steady_steps.h"
#include "warplens/program/analysis/timeline/activity.h"

namespace warplens::analysis::diff {
namespace {

constexpr size_t kOutside = SIZE_MAX;
constexpr double kBusyAllAlong = 0.9;  // of the time between a step's first event and the next one's

/// The steps of one rank, by the order of their starts.
struct RankSteps {
  bool marked = false;  // else the whole window stands as one step
  std::vector<int64_t> starts_ns;
  std::vector<int64_t> until_ns;  // the next step, steady or not, or the end of the last one

  size_t at(int64_t time_ns) const {
    const auto after = std::upper_bound(starts_ns.begin(), starts_ns.end(), time_ns);
    if (after == starts_ns.begin()) return kOutside;
    const size_t step = static_cast<size_t>(after - starts_ns.begin()) - 1;
    return time_ns > until_ns[step] ? kOutside : step;
  }
};

/// When each step of one rank began and ended on its devices.
struct DeviceSteps {
  std::vector<int64_t> first_ns, last_ns;

  explicit DeviceSteps(const RankSteps& host)
      : first_ns(host.starts_ns.size(), INT64_MAX), last_ns(host.starts_ns.size(), INT64_MIN) {}
  void see(size_t step, int64_t start_ns, int64_t end_ns) {
    first_ns[step] = std::min(first_ns[step], start_ns);
    last_ns[step] = std::max(last_ns[step], end_ns);
  }
  /// What the step took on the device where that was busy with it all along, else the longer of host and device: the
  /// slower one sets the pace, but a host that waits for room in the device's queue only seems slow.
  double pace_ns(const RankSteps& host, size_t step, double work_ns) const {
    const bool last = step + 1 == first_ns.size();
    const bool followed = !last && host.starts_ns[step + 1] == host.until_ns[step];  // not by one that is left out
    const auto host_ns = static_cast<double>(host.until_ns[step] - host.starts_ns[step]);
    if (first_ns[step] == INT64_MAX) return host_ns;
    const int64_t device_end = !followed || first_ns[step + 1] == INT64_MAX ? last_ns[step] : first_ns[step + 1];
    const auto device_ns = static_cast<double>(device_end - first_ns[step]);
    return host.marked && work_ns >= kBusyAllAlong * device_ns ? device_ns : std::max(host_ns, device_ns);
  }
};

std::vector<RankSteps> steps_of_ranks(const Profile& profile, const StepSet& set) {
  std::vector<RankSteps> ranks(profile.ranks.size());
  for (size_t i = 0; i < set.steps.size(); ++i) {
    if (set.roles[i] != StepRole::kSteady) continue;
    const Step& step = set.steps[i];
    const bool last = i + 1 == set.steps.size() || set.steps[i + 1].rank != step.rank;
    RankSteps& rank = ranks[step.rank];
    rank.marked = true;
    rank.starts_ns.push_back(step.start_ns);
    rank.until_ns.push_back(last ? step.end_ns : set.steps[i + 1].start_ns);
  }
  if (!set.empty()) return ranks;
  for (size_t r = 0; r < ranks.size(); ++r) {
    ranks[r].starts_ns = {profile.ranks.window_start_ns[r]};
    ranks[r].until_ns = {profile.ranks.window_end_ns[r]};
  }
  return ranks;
}

/// Key of a KernelCost: operator name, its shapes, kernel name.
using Key = std::tuple<StringId, StringId, StringId>;
struct KeyHash {
  size_t operator()(const Key& key) const {
    const auto [op, shapes, kernel] = key;
    return (static_cast<size_t>(op) * 0x9E3779B97F4A7C15u ^ static_cast<size_t>(shapes)) * 0xC2B2AE3D27D4EB4Fu ^
           static_cast<size_t>(kernel);
  }
};

/// A step belongs to whoever launched in it, not to whoever ran in it: work queued at its end counts for it.
int64_t cause_time(const Profile& profile, const Links& links, size_t event) {
  const uint32_t call = links.event_call[event];
  return call == kNone ? profile.device_events.start_ns[event] : profile.calls.start_ns[call];
}

/// The operator or range that launched an event; a step's own range says nothing of it.
uint32_t operator_of(const Profile& profile, const Links& links, size_t event) {
  const uint32_t op = links.event_operator[event];
  return op == kNone || step_number(profile.text(profile.operators.name[op])) ? kNone : op;
}

/// When the first event with a recorded launch began, by device; the least time where no launch was recorded.
std::vector<int64_t> first_launched(const Profile& profile, const Links& links) {
  std::vector<int64_t> first_ns(profile.devices.size(), INT64_MAX);
  const auto& events = profile.device_events;
  for (size_t e = 0; e < events.size(); ++e) {
    if (links.event_call[e] != kNone)
      first_ns[events.device[e]] = std::min(first_ns[events.device[e]], events.start_ns[e]);
  }
  for (int64_t& first : first_ns) {
    if (first == INT64_MAX) first = INT64_MIN;
  }
  return first_ns;
}

/// The steps of each rank as recorded; where none are marked the run is one.
std::vector<std::vector<Span>> windows_of_ranks(const Profile& profile, const Links& links, const StepSet& set) {
  std::vector<std::vector<Span>> windows(profile.ranks.size());
  for (size_t i = 0; i < set.times.size(); ++i) {
    const StepTime& time = set.times[i];
    if (set.roles[i] == StepRole::kSteady) windows[time.rank].push_back({time.start_ns, time.end_ns});
  }
  if (!set.empty()) return windows;
  for (uint32_t r = 0; r < windows.size(); ++r) windows[r] = {run_time(profile, links.event_call, r)};
  return windows;
}

/// Spans of device work by its kind; they may overlap.
using Work = std::map<std::pair<uint32_t, size_t>, Activity>;  // by device and the step that launched it

/// What the steps put on devices: their work, by rank and step too.
std::vector<std::vector<double>> add_work(const Profile& profile, const Work& work, ProgramCost& cost) {
  std::vector<std::vector<double>> rank_work_ns(profile.ranks.size(), std::vector<double>(cost.steps()));
  for (const auto& [place, spans] : work) {
    const auto [device, step] = place;
    const auto work_ns = static_cast<double>(length_ns(spans.busy()));
    cost.work_ns[step] += work_ns / static_cast<double>(cost.devices);
    double& of_rank = rank_work_ns[profile.devices.rank[device]][step];
    of_rank = std::max(of_rank, work_ns);
  }
  return rank_work_ns;
}

/// When devices were busy within the steps of their rank, and with what.
void add_busy(const Profile& profile, const Work& work, const std::vector<std::vector<Span>>& windows,
              ProgramCost& cost) {
  std::map<uint32_t, Activity> of_device;
  for (const auto& [place, spans] : work) {
    Activity& all = of_device[place.first];
    for (const auto part : {&Activity::computation, &Activity::communication, &Activity::copies})
      (all.*part).insert((all.*part).end(), (spans.*part).begin(), (spans.*part).end());
  }
  for (auto& [device, spans] : of_device) {
    const Activity all = united(std::move(spans));
    const std::pair<std::vector<double>*, TimeSet> sums[] = {
        {&cost.busy_ns, all.busy()},
        {&cost.computation_ns, all.computation},
        {&cost.exposed_communication_ns, all.exposed_communication()},
        {&cost.exposed_copies_ns, all.exposed_copies()}};
    const std::vector<Span>& steps = windows[profile.devices.rank[device]];
    for (const auto& [sum_ns, set] : sums) {
      for (size_t s = 0; s < steps.size(); ++s)
        (*sum_ns)[s] += static_cast<double>(overlap_ns(set, steps[s].start_ns, steps[s].end_ns)) /
                        static_cast<double>(cost.devices);
    }
  }
}

/// `work_ns`: by rank, then step.
void add_wall_times(const std::vector<RankSteps>& ranks, const std::vector<DeviceSteps>& seen,
                    const std::vector<std::vector<double>>& work_ns, const std::vector<std::vector<Span>>& windows,
                    ProgramCost& cost) {
  for (size_t s = 0; s < cost.steps(); ++s) {
    double wall_ns = 0, pace_ns = 0, present = 0;
    for (size_t r = 0; r < ranks.size(); ++r) {
      if (s >= windows[r].size()) continue;
      wall_ns += static_cast<double>(windows[r][s].end_ns - windows[r][s].start_ns);
      pace_ns += seen[r].pace_ns(ranks[r], s, work_ns[r][s]);
      ++present;
    }
    cost.wall_ns[s] = wall_ns / present;
    cost.pace_ns[s] = pace_ns / present;
  }
}

/// "[[ 8,\n 512 ], []]" as "[[8, 512], []]": writers space shapes differently.
std::string plain_shapes(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c))) continue;
    plain += c;
    if (c == ',') plain += ' ';
  }
  return plain;
}

std::string names_of_devices(const Profile& profile) {
  std::set<std::string_view> names;
  for (size_t d = 0; d < profile.devices.size(); ++d) {
    if (std::find(profile.device_events.device.begin(), profile.device_events.device.end(), d) !=
        profile.device_events.device.end())
      names.insert(profile.text(profile.devices.name[d]));
  }
  return join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

/// Self times of the host by name.
class HostCosts {
 public:
  HostCosts(const Profile& profile, const std::vector<RankSteps>& ranks, size_t steps)
      : profile_(profile), ranks_(ranks), steps_(steps) {}

  std::vector<HostCost> run(const Links& links, const Forest& operators) {
    const auto& ops = profile_.operators;
    const auto& calls = profile_.calls;
    std::vector<int64_t> self_ns(ops.duration_ns.begin(), ops.duration_ns.end());
    for (size_t op = 0; op < ops.size(); ++op) {
      if (const uint32_t parent = operators.parent[op]; parent != kNone) self_ns[parent] -= ops.duration_ns[op];
    }
    for (size_t call = 0; call < calls.size(); ++call) {
      const uint32_t op = links.call_operator[call];
      if (op != kNone) self_ns[op] -= calls.duration_ns[call];
      const size_t row =
          add(calls.name[call], op, rank_of_call(profile_, call), calls.start_ns[call], calls.duration_ns[call]);
      if (row != kOutside) costs_[row].is_call = true;
    }
    for (size_t op = 0; op < ops.size(); ++op) {
      if (ops.kind[op] == OperatorKind::kInstant || is_step(op)) continue;
      const size_t row = add(ops.name[op], operators.parent[op], rank_of_operator(profile_, op), ops.start_ns[op],
                             std::max<int64_t>(0, self_ns[op]));
      if (row != kOutside && ops.kind[op] == OperatorKind::kRange) costs_[row].is_range = true;
    }
    for (HostCost& cost : costs_) {
      for (int64_t& ns : cost.step_ns) ns /= static_cast<int64_t>(ranks_.size());
    }
    name_calls();
    return std::move(costs_);
  }

 private:
  bool is_step(size_t op) const { return step_number(profile_.text(profile_.operators.name[op])).has_value(); }

  /// `parent`: the operator or range around it, or kNone. Returns its row; kOutside where it lies in no step.
  size_t add(StringId name, uint32_t parent, uint32_t rank, int64_t start_ns, int64_t ns) {
    const size_t step = ranks_[rank].at(start_ns);
    if (step == kOutside) return kOutside;
    if (parent != kNone && is_step(parent)) parent = kNone;
    const auto [row, is_new] = rows_.try_emplace(name, costs_.size());
    if (is_new) {
      costs_.push_back({.name = std::string(profile_.text(name)), .step_ns = std::vector<int64_t>(steps_)});
      if (parent != kNone) costs_.back().parent = profile_.text(profile_.operators.name[parent]);
    }
    if (parent != kNone) called_.emplace(profile_.operators.name[parent], name);
    ++costs_[row->second].count;
    costs_[row->second].step_ns[step] += ns;
    return row->second;
  }

  void name_calls() {
    for (const auto& [caller, callee] : called_) {
      const auto row = rows_.find(caller);
      if (row != rows_.end() && costs_[row->second].is_range)
        costs_[row->second].calls.emplace_back(profile_.text(callee));
    }
    for (HostCost& cost : costs_) std::sort(cost.calls.begin(), cost.calls.end());
  }

  const Profile& profile_;
  const std::vector<RankSteps>& ranks_;
  size_t steps_;
  std::unordered_map<StringId, size_t> rows_;
  std::set<std::pair<StringId, StringId>> called_;  // who called what
  std::vector<HostCost> costs_;
};

}  // namespace

ProgramCost program_cost(const Profile& profile, const ClassRules& rules) {
  const TimedScope timed("cost of steps");
  ProgramCost cost;
  const Forest operators = operator_forest(profile);
  const Links links = link_events(profile, operators);
  const StepSet set = step_set(profile, links.event_call);
  cost.has_steps = !set.empty();
  cost.left_out = left_out_text(step_summary(set, 0));
  const std::vector<RankSteps> ranks = steps_of_ranks(profile, set);
  size_t steps = 0;
  for (const RankSteps& rank : ranks) steps = std::max(steps, rank.starts_ns.size());
  for (auto* times : {&cost.wall_ns, &cost.busy_ns, &cost.computation_ns, &cost.exposed_communication_ns,
                      &cost.exposed_copies_ns, &cost.pace_ns, &cost.work_ns})
    times->assign(steps, 0);
  std::vector<DeviceSteps> seen(ranks.begin(), ranks.end());
  cost.host = HostCosts(profile, ranks, steps).run(links, operators);
  cost.device_names = names_of_devices(profile);
  const Classes classes = classify(profile, links.event_operator, rules);
  const std::vector<int64_t> first_ns = first_launched(profile, links);
  const auto& events = profile.device_events;
  std::unordered_map<Key, size_t, KeyHash> rows;
  Work work;
  for (size_t e = 0; e < events.size(); ++e) {
    if (events.kind[e] == DeviceEventKind::kRange) continue;
    if (links.event_call[e] == kNone && events.start_ns[e] < first_ns[events.device[e]]) continue;
    const uint32_t rank = rank_of_event(profile, e);
    const size_t step = ranks[rank].at(cause_time(profile, links, e));
    if (step == kOutside) continue;
    seen[rank].see(step, events.start_ns[e], events.start_ns[e] + events.duration_ns[e]);
    const uint32_t op = operator_of(profile, links, e);
    const auto& ops = profile.operators;
    const StringId op_name = op == kNone ? StringId::kEmpty : ops.name[op],
                   shapes = op == kNone ? StringId::kEmpty : ops.input_shapes[op];
    const auto [row, added] = rows.try_emplace({op_name, shapes, events.name[e]}, cost.kernels.size());
    if (added)
      cost.kernels.push_back({std::string(profile.text(op_name)), plain_shapes(profile.text(shapes)),
                              std::string(profile.text(events.name[e])), rules.names[classes.of_event[e]],
                              events.kind[e], 0, std::vector<int64_t>(steps)});
    KernelCost& kernel = cost.kernels[row->second];
    ++kernel.count;
    kernel.step_ns[step] += events.duration_ns[e];
    part_of(profile, static_cast<uint32_t>(e), work[{events.device[e], step}])
        .push_back({events.start_ns[e], events.start_ns[e] + events.duration_ns[e]});
  }
  std::set<uint32_t> devices;
  for (const auto& [place, spans] : work) devices.insert(place.first);
  cost.devices = std::max<size_t>(1, devices.size());
  const std::vector<std::vector<Span>> windows = windows_of_ranks(profile, links, set);
  add_wall_times(ranks, seen, add_work(profile, work, cost), windows, cost);
  add_busy(profile, work, windows, cost);
  return cost;
}

}  // namespace warplens::analysis::diff
