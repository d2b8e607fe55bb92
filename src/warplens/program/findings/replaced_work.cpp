#include "warplens/program/findings/replaced_work.h"

#include <algorithm>

#include "warplens/model/constants.h"
#include "warplens/program/findings/turns.h"

namespace warplens::findings {

int64_t run_as_one(const Context& c, const std::vector<uint32_t>& events, double ns, Change& change) {
  int64_t recorded_ns = 0;
  for (const uint32_t event : events) recorded_ns += c.program.events[event].duration_ns;
  for (size_t i = 0; i < events.size(); ++i) {
    const uint32_t row = c.program.events[events[i]].row;
    if (i == 0 && ns > 0) change.event_duration.emplace_back(row, std::min(recorded_ns, static_cast<int64_t>(ns)));
    else change.events_removed.push_back(row);
  }
  return recorded_ns;
}

double moving_ns(const Context& c, double bytes) {
  return std::max(model::kShortKernelNs, bytes / std::max<double>(c.hardware.dram_bytes_per_ns, 1));
}

void ReplacedWork::replace(const Context& c, uint32_t op, double bytes) {
  replace_by_ns(c, op, bytes > 0 ? moving_ns(c, bytes) : 0);
}

void ReplacedWork::replace_by_ns(const Context& c, uint32_t op, double ns) {
  const std::vector<uint32_t> events = events_within(c, c.span_of(op));
  device_ns += run_as_one(c, events, ns, change);
  for (size_t i = ns > 0 ? 1 : 0; i < events.size(); ++i) {  // nor are those launched
    const analysis::ProgramCall& call = c.program.calls[c.program.events[events[i]].call];
    if (call.events_end - call.events_begin == 1) change.host_removed.push_back({call.start_ns, call.end_ns});
  }
  calls += 1;
  const uint32_t root = c.root_of(op);
  if (operators.empty() || operators.back() != root) operators.push_back(root);
}

std::vector<std::vector<uint32_t>> operators_of_threads(const Context& c) {
  std::vector<std::vector<uint32_t>> out;
  for (uint32_t thread = 0; thread + 1 < c.joined.operators.thread_begin.size(); ++thread) {
    if (c.p.threads.rank[thread] == c.program.rank) out.push_back(outermost(c, thread));
  }
  return out;
}

analysis::Shape shape_of(const Context& c, uint32_t op, size_t input) {
  const std::vector<analysis::InputShape>& shapes = c.shapes(op);
  return input < shapes.size() ? shapes[input].dims : analysis::Shape{};
}

}  // namespace warplens::findings
