#include "warplens/program/findings/copies.h"

#include <algorithm>
#include <unordered_set>

namespace warplens::findings {
namespace {

bool makes_copy(std::string_view name) {
  return name == "aten::to" || name == "aten::_to_copy" || name == "aten::copy_" || name == "aten::cuda" ||
         name == "aten::item" || name == "aten::clone";
}

}  // namespace

bool waits_for_peers(const Context& c, const ProgramEvent& copy) {
  const auto mostly = [&](int64_t start_ns, int64_t end_ns) {
    return 2 * analysis::overlap_ns(c.communication(), start_ns, end_ns) > end_ns - start_ns;
  };
  const analysis::ProgramCall& call = c.program.calls[copy.call];
  if (call.blocks() && mostly(call.start_ns, call.end_ns)) return true;
  if (copy.call + 1 == c.program.calls.size()) return false;
  const analysis::ProgramCall& next = c.program.calls[copy.call + 1];  // aten::to synchronizes right after its copy
  return next.blocks() && next.events_begin == next.events_end && mostly(next.start_ns, next.end_ns);
}

void stop_waiting(const Context& c, const std::vector<const ProgramEvent*>& copies, Change& change) {
  std::unordered_set<uint32_t> events;
  for (const ProgramEvent* copy : copies) {
    if (waits_for_peers(c, *copy)) continue;
    events.insert(c.program.event_of_row[copy->row]);
    change.calls_not_waiting.push_back(c.program.calls[copy->call].row);
  }
  for (const analysis::ProgramCall& call : c.program.calls) {
    if (!call.blocks() || call.events_begin != call.events_end || !events.contains(c.program.waits[call.waits_begin]))
      continue;
    change.calls_not_waiting.push_back(call.row);
    change.host_removed.push_back({call.start_ns, call.end_ns});
  }
}

void remove_copies(const Context& c, const std::vector<const ProgramEvent*>& copies, Change& change) {
  stop_waiting(c, copies, change);
  for (const ProgramEvent* copy : copies) {
    if (waits_for_peers(c, *copy)) change.event_duration.emplace_back(copy->row, 0);
    else change.events_removed.push_back(copy->row);
    const analysis::ProgramCall& call = c.program.calls[copy->call];
    change.host_removed.push_back({call.start_ns, call.end_ns});
    uint32_t op = c.around(c.op_of(*copy), makes_copy);
    for (uint32_t up = op; up != kNone && makes_copy(c.op_name(up)); up = c.joined.operators.parent[up]) op = up;
    if (op != kNone) change.host_removed.push_back(c.span_with_call(op));
  }
}

void describe(const Context& c, const CopyGroup& group, Finding& finding) {
  std::vector<uint32_t> operators;
  for (const ProgramEvent* copy : group.copies)
    operators.push_back(c.op_of(*copy) == kNone ? kNone : c.root_of(c.op_of(*copy)));
  finding.where = c.places(operators);
  finding.evidence = {{"copies_per_step", c.per_step(static_cast<double>(group.copies.size()))},
                      {"copied_bytes_per_step", static_cast<int64_t>(c.per_step(static_cast<double>(group.bytes)))},
                      {"copied_ns", group.copied_ns / static_cast<int64_t>(c.program.steps)},
                      {"gigabytes_per_second",
                       static_cast<double>(group.bytes) / static_cast<double>(std::max<int64_t>(group.copied_ns, 1))}};
}

}  // namespace warplens::findings
