#include "warplens/program/findings/anomaly_mode.h"

#include <algorithm>

#include "warplens/base/middle.h"
#include "warplens/base/text.h"

namespace warplens::findings {
namespace {

bool evaluates(std::string_view name) { return contains(name, "evaluate_function"); }

/// What operators of the window take by themselves, by their rows.
std::vector<int64_t> own_times(const Context& c) {
  const auto& ops = c.p.operators;
  std::vector<int64_t> out(ops.size(), 0);
  for (const uint32_t op : c.joined.operators.order) {
    out[op] += ops.duration_ns[op];
    if (const uint32_t parent = c.joined.operators.parent[op]; parent != kNone) out[parent] -= ops.duration_ns[op];
  }
  for (const analysis::ProgramCall& call : c.program.calls) {
    if (const uint32_t op = c.joined.links.call_operator[call.row]; op != kNone) out[op] -= call.end_ns - call.start_ns;
  }
  return out;
}

}  // namespace

bool detects_anomalies(const Context& c) {
  NameMemo looks(c.p, [](std::string_view name) { return name == "aten::_is_any_true"; });
  NameMemo evaluation(c.p, evaluates);
  return std::ranges::any_of(c.joined.operators.order, [&](uint32_t op) {
    const uint32_t parent = c.joined.operators.parent[op];
    return looks(c.p.operators.name[op]) && parent != kNone && evaluation(c.p.operators.name[parent]);
  });
}

void note_no_stacks(const Context& c, Change& change) {
  const auto& ops = c.p.operators;
  const std::vector<int64_t> own_ns = own_times(c);
  std::vector<uint32_t> followed;
  std::vector<int64_t> others_ns;
  for (const uint32_t op : c.joined.operators.order) {
    if (ops.kind[op] != OperatorKind::kOperator || ops.start_ns[op] < c.program.start_ns ||
        ops.start_ns[op] >= c.program.end_ns)
      continue;
    if (c.around(op, evaluates) != kNone) others_ns.push_back(own_ns[op]);
    else if (ops.sequence_number[op] >= 0) followed.push_back(op);
  }
  if (others_ns.empty()) return;
  const int64_t usual_ns = middle_of(std::move(others_ns));
  // The stack is noted first, before an operator calls or launches anything.
  for (const uint32_t op : followed) {
    if (own_ns[op] > usual_ns)
      change.host_removed.push_back({ops.start_ns[op], ops.start_ns[op] + own_ns[op] - usual_ns});
  }
}

}  // namespace warplens::findings
