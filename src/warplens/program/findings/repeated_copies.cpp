#include "warplens/program/findings/repeated_copies.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "warplens/program/analysis/host_work.h"
#include "warplens/program/findings/operators.h"

namespace warplens::findings {
namespace {

/// What the host makes for a copy goes with it: operators right before it that launch nothing, nor only arrange.
void remove_making(const Context& c, const ProgramEvent& copy, Change& change) {
  if (c.op_of(copy) == kNone) return;
  const analysis::Forest& forest = c.joined.operators;
  uint32_t op = c.root_of(c.op_of(copy));
  const uint32_t begin = forest.thread_begin[c.p.operators.thread[op]];
  while (forest.position[op] > begin) {
    const uint32_t before = forest.order[forest.position[op] - 1];
    if (c.p.operators.kind[before] != OperatorKind::kOperator) return;
    op = c.root_of(before);
    if (c.program.calls_within(c.span_of(op)) || analysis::only_arranges(c.op_name(op))) return;
    change.host_removed.push_back(c.span_with_call(op));
  }
}

/// Whether the copied tensor next goes into pointwise work, as a table or a mask does, not into a product, as weights
/// and batches do that are streamed.
bool feeds_pointwise(const Context& c, const ProgramEvent& copy) {
  constexpr size_t kSoon = 8;  // kernels
  const uint32_t op = c.op_of(copy);
  if (op == kNone || c.shapes(op).empty()) return false;
  const analysis::Shape& shape = c.shapes(op).front().dims;
  const size_t begin = c.program.event_of_row[copy.row] + size_t{1};
  for (size_t i = begin; i < std::min(begin + kSoon, c.program.events.size()); ++i) {
    const uint32_t user = c.op_of(c.program.events[i]);
    const std::string_view name = c.op_name(user);
    const bool takes = std::ranges::any_of(c.shapes(user), [&](const auto& input) { return input.dims == shape; });
    if (takes && name != "aten::copy_" && name != "aten::_to_copy") return is_pointwise(name);
  }
  return false;
}

/// A constant never comes back. Pinned memory is where a program puts what it streams: a constant there goes into
/// pointwise work.
bool may_be_constant(const Context& c, const ProgramEvent& copy, const std::set<int64_t>& bytes_to_host) {
  return !bytes_to_host.contains(c.bytes_of(copy)) && (is_pageable(c, copy) || feeds_pointwise(c, copy));
}

}  // namespace

RepeatedCopies repeated_copies(const Context& c) {
  constexpr double kLeastRepeats = 3;  // a step; an input batch comes once or twice
  constexpr int64_t kSmallBytes = 64 << 10;
  if (!c.program.has_steps && c.p.operators.size() == 0) return {};  // nothing tells a batch of a loop from a constant
  std::set<int64_t> bytes_to_host;                                   // sizes of what comes back
  for (const ProgramEvent& event : c.program.events) {
    if (c.is_copy(event, CopyKind::kDeviceToHost)) bytes_to_host.insert(c.bytes_of(event));
  }
  std::map<std::pair<int64_t, StringId>, CopyGroup> groups;  // by size and shape
  for (const ProgramEvent& event : c.program.events) {
    if (!c.is_copy(event, CopyKind::kHostToDevice) || c.bytes_of(event) < kSmallBytes ||
        !may_be_constant(c, event, bytes_to_host))
      continue;
    const uint32_t op = c.op_of(event);
    groups[{c.bytes_of(event), op == kNone ? StringId::kEmpty : c.p.operators.input_shapes[op]}].add(c, event);
  }
  RepeatedCopies out;
  for (const auto& [key, group] : groups) {
    if (static_cast<double>(group.copies.size()) < kLeastRepeats * static_cast<double>(c.iterations())) continue;
    for (const ProgramEvent* copy : group.copies) out.group.add(c, *copy);
    out.largest_bytes = std::max(out.largest_bytes, key.first);
  }
  remove_copies(c, out.group.copies, out.without);
  for (const ProgramEvent* copy : out.group.copies) remove_making(c, *copy, out.without);
  return out;
}

}  // namespace warplens::findings
