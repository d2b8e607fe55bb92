// growing-tensor: a tensor becomes longer by concatenation, and is copied whole each time.
#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/rules.h"
#include "warplens/program/findings/turns.h"

namespace warplens::findings {
namespace {

/// A concatenation of a long tensor and what it grows by.
struct Growth {
  uint32_t op;
  analysis::Shape before, after;
};

std::optional<Growth> growth_of(const Context& c, uint32_t op) {
  if (c.op_name(op) != "aten::cat" || c.shapes(op).empty() || !c.shapes(op)[0].is_list) return std::nullopt;
  const std::vector<analysis::Shape>& parts = c.shapes(op)[0].list;
  if (parts.size() != 2 || parts[0].size() != parts[1].size()) return std::nullopt;
  Growth out{op, parts[0], parts[0]};
  size_t differ = 0;
  for (size_t d = 0; d < parts[0].size(); ++d) {
    if (parts[0][d] == parts[1][d]) continue;
    out.after[d] += parts[1][d];
    ++differ;
  }
  if (differ != 1 || analysis::element_count(parts[1]) >= analysis::element_count(parts[0])) return std::nullopt;
  return out;
}

/// Rows of concatenations in which each continues what one before it made: kLeastTurns or more.
std::vector<std::vector<Growth>> find_growths(const Context& c) {
  std::vector<std::vector<Growth>> open, out;
  for (const uint32_t op : c.joined.operators.order) {
    if (c.p.operators.start_ns[op] < c.program.start_ns || c.p.operators.start_ns[op] >= c.program.end_ns) continue;
    const std::optional<Growth> growth = growth_of(c, op);
    if (!growth) continue;
    // Several tensors of one shape grow side by side: the one that waited longest comes next.
    const auto grows = [&](const std::vector<Growth>& row) { return row.back().after == growth->before; };
    const auto at = std::ranges::find_if(open, grows);
    std::vector<Growth> row;
    if (at != open.end()) {
      row = std::move(*at);
      open.erase(at);
    }
    row.push_back(*growth);
    open.push_back(std::move(row));
  }
  for (std::vector<Growth>& row : open) {
    if (row.size() >= kLeastTurns) out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

std::optional<Finding> growing_tensor(const Context& c) {
  const std::vector<std::vector<Growth>> growths = find_growths(c);
  ReplacedWork work;
  for (const std::vector<Growth>& row : growths) {
    for (const Growth& growth : row) {
      const int64_t added = analysis::element_count(growth.after) - analysis::element_count(growth.before);
      work.replace(c, growth.op, static_cast<double>(2 * added * c.element_bytes(growth.op)));
    }
  }
  if (growths.empty()) return std::nullopt;
  Finding f;
  c.set_saving(f, work.change);
  if (saves_little(f)) return std::nullopt;
  f.title = fmt::format("tensors become longer by {} {}, and are copied whole each time",
                        counted(c.per_step(work.calls), "concatenation", "concatenations"), c.each_step());
  f.detail = fmt::format(
      "The copies take {} of device time {}. The saving assumes that each piece is written into a tensor of the "
      "final length.",
      format_ns(c.per_step(static_cast<double>(work.device_ns))), c.each_step());
  f.advice =
      "Allocate the tensor once for its final length, and write each piece into its place: index_copy_, or an "
      "assignment "
      "to a slice. Transformers' StaticCache does so.";
  f.evidence = {{"concatenations_per_step", c.per_step(work.calls)},
                {"device_ns", work.device_ns / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(work.operators);
  return f;
}

}  // namespace warplens::findings
