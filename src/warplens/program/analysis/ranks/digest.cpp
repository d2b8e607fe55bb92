#include "warplens/program/analysis/ranks/digest.h"

#include <algorithm>

#include "warplens/program/analysis/links.h"
#include "warplens/program/analysis/steps/steady_steps.h"
#include "warplens/trace/profile/append.h"
#include "warplens/trace/profile/job/meetings.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::analysis {
namespace {

struct DeviceSpans {
  std::vector<Span> computation, communication, all;
};

std::vector<DeviceSpans> spans_by_device(const Profile& p, std::vector<RankFacts>& facts) {
  std::vector<DeviceSpans> out(p.devices.size());
  NameMemo communicates(p, [](std::string_view name) { return job::names_communication(name); });
  const device_events_table& events = p.device_events;
  for (uint32_t row = 0; row < events.size(); ++row) {
    if (events.kind[row] == DeviceEventKind::kRange) continue;
    const Span span{events.start_ns[row], events.start_ns[row] + events.duration_ns[row]};
    DeviceSpans& device = out[events.device[row]];
    device.all.push_back(span);
    if (events.kind[row] != DeviceEventKind::kKernel) continue;
    ++facts[p.devices.rank[events.device[row]]].kernels;
    const bool is_communication = events.collective[row] != kNone || communicates(events.name[row]);
    (is_communication ? device.communication : device.computation).push_back(span);
  }
  return out;
}

}  // namespace

std::vector<RankFacts> rank_facts(const Profile& p) {
  std::vector<RankFacts> facts(p.ranks.size());
  std::vector<std::vector<Span>> busy(p.ranks.size());
  std::vector<DeviceSpans> devices = spans_by_device(p, facts);
  for (uint32_t device = 0; device < devices.size(); ++device) {
    RankFacts& rank = facts[p.devices.rank[device]];
    const TimeSet computation = unite(std::move(devices[device].computation));
    const TimeSet communication = unite(std::move(devices[device].communication));
    rank.computation_ns += length_ns(computation);
    rank.communication_ns += length_ns(communication);
    rank.exposed_communication_ns += length_ns(subtract(communication, computation));
    std::vector<Span>& all = busy[p.devices.rank[device]];
    all.insert(all.end(), devices[device].all.begin(), devices[device].all.end());
  }
  for (uint32_t r = 0; r < facts.size(); ++r) {
    facts[r].busy = unite(std::move(busy[r]));
    for (Span& span : facts[r].busy) {
      span.start_ns -= p.ranks.window_start_ns[r];
      span.end_ns -= p.ranks.window_start_ns[r];
    }
  }
  const StepSet set = step_set(p, link_device_calls(p));
  for (size_t i = 0; i < set.steps.size(); ++i) {
    const Step& step = set.steps[i];
    if (set.roles[i] != StepRole::kSteady) continue;
    RankFacts& rank = facts[step.rank];
    rank.step_ns = (rank.step_ns * rank.steps + step.end_ns - step.start_ns) / (rank.steps + 1);
    ++rank.steps;
  }
  return facts;
}

Profile digest(const Profile& from) {
  Profile out;
  out.base_ns = from.base_ns;
  const auto text = [&](StringId id) { return out.strings.intern(from.text(id)); };
  for (size_t i = 0; i < from.ranks.size(); ++i) {
    ranks_row row = row_of(from.ranks, i);
    row.file = text(row.file);
    append(out.ranks, row);
  }
  for (size_t i = 0; i < from.devices.size(); ++i) {
    devices_row row = row_of(from.devices, i);
    row.name = text(row.name);
    append(out.devices, row);
  }
  for (size_t i = 0; i < from.device_events.size(); ++i) {
    if (!job::is_collective(from, i)) continue;
    device_events_row row = row_of(from.device_events, i);
    row.name = text(row.name);
    row.args = StringId::kEmpty;
    row.launch_config = kNone;
    if (row.collective != kNone) {
      collectives_row told = row_of(from.collectives, row.collective);
      for (StringId* id : {&told.name, &told.dtype, &told.group_name, &told.group_description, &told.group_ranks})
        *id = text(*id);
      row.collective = static_cast<uint32_t>(out.collectives.size());
      append(out.collectives, told);
    }
    append(out.device_events, row);
  }
  for (const IntegrityIssue& issue : from.integrity.issues())
    out.integrity.add(issue.id, issue.severity, issue.count, issue.detail, issue.advice);
  return out;
}

void append_digest(Profile& to, std::vector<RankFacts>& facts, Profile from, std::vector<RankFacts> from_facts) {
  const auto first = static_cast<int32_t>(to.ranks.size());
  for (size_t r = 0; r < from.ranks.size(); ++r) {
    if (from.ranks.world_size[r] == 0) from.ranks.rank.at(r) = first + static_cast<int32_t>(r);
  }
  if (first == 0) to = std::move(from);
  else append_profile(to, from);
  std::move(from_facts.begin(), from_facts.end(), std::back_inserter(facts));
}

}  // namespace warplens::analysis
