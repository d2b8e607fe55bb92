// repeated-copy: copies of one size to the device again and again within a step, as a constant kept on the host causes.
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/host_work.h"
#include "warplens/program/findings/copies.h"
#include "warplens/program/findings/rules.h"

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

}  // namespace

std::optional<Finding> repeated_copy(const Context& c) {
  constexpr double kLeastRepeats = 3;  // a step; an input batch comes once or twice
  constexpr int64_t kSmallBytes = 64 << 10;
  std::map<std::pair<int64_t, StringId>, CopyGroup> groups;  // by size and shape
  for (const ProgramEvent& event : c.program.events) {
    // Pinned memory is where a program puts what it streams; a constant stays where it was made.
    if (!c.is_copy(event, CopyKind::kHostToDevice) || !is_pageable(c, event) || c.bytes_of(event) < kSmallBytes)
      continue;
    const uint32_t op = c.op_of(event);
    groups[{c.bytes_of(event), op == kNone ? StringId::kEmpty : c.p.operators.input_shapes[op]}].add(c, event);
  }
  CopyGroup repeated;
  int64_t largest = 0;
  for (const auto& [key, group] : groups) {
    if (static_cast<double>(group.copies.size()) < kLeastRepeats * static_cast<double>(c.iterations())) continue;
    for (const ProgramEvent* copy : group.copies) repeated.add(c, *copy);
    largest = std::max(largest, key.first);
  }
  if (repeated.copies.empty()) return std::nullopt;
  Finding f;
  Change change;
  remove_copies(c, repeated.copies, change);
  for (const ProgramEvent* copy : repeated.copies) remove_making(c, *copy, change);
  c.set_saving(f, change);
  describe(c, repeated, f);
  f.title = fmt::format("{} copies of the same size ({} at most) to the device {}",
                        format_count(c.per_step(static_cast<double>(repeated.copies.size()))),
                        format_bytes(static_cast<double>(largest)), c.each_step());
  f.detail =
      "The same operator copies a tensor of the same shape each time. The saving holds if the data is the same, "
      "such as a mask, a table or a position index.";
  f.advice =
      "Keep the data on the device: create it there, copy it once before the loop, or use register_buffer() so that "
      ".to(device) moves it.";
  return f;
}

}  // namespace warplens::findings
