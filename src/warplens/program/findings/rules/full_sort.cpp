// full-sort: a tensor is sorted, and only its first elements are used.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/host_work.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr size_t kUsedWithin = 8;  // operators after the sort
constexpr int kDigitBits = 8;      // a selection reads its keys once for each such digit, and once to gather

bool sorts(std::string_view name) { return name == "aten::sort" || name == "aten::argsort"; }

std::optional<int64_t> number_at(const std::vector<std::string>& inputs, size_t i) {
  return i < inputs.size() ? parse_int(inputs[i]) : std::nullopt;
}

/// How many elements of a row a view of the sorted tensor keeps.
std::optional<int64_t> kept_by(const Context& c, uint32_t op, int64_t row) {
  const auto inputs = analysis::parse_string_array(c.p.text(c.p.operators.concrete_inputs[op]));
  if (c.op_name(op) == "aten::select") return 1;
  if (c.op_name(op) == "aten::narrow") return number_at(inputs, 3);
  if (c.op_name(op) != "aten::slice") return std::nullopt;
  const auto start = number_at(inputs, 2), end = number_at(inputs, 3);
  if (!end) return std::nullopt;
  const auto within = [row](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + row : at, 0, row); };
  return within(*end) - within(start.value_or(0));
}

/// The most elements of a row that are used of what operators[at] sorts; none where all may be.
std::optional<int64_t> used_of(const Context& c, const std::vector<uint32_t>& operators, size_t at) {
  const analysis::Shape sorted = shape_of(c, operators[at]);
  std::optional<int64_t> used;
  for (size_t i = at + 1; i < std::min(operators.size(), at + 1 + kUsedWithin); ++i) {
    const uint32_t op = operators[i];
    if (sorts(c.op_name(op))) break;
    if (shape_of(c, op) != sorted) continue;
    const auto kept = kept_by(c, op, sorted.back());
    if (!kept && !analysis::only_arranges(c.op_name(op))) return std::nullopt;
    if (kept) used = std::max(used.value_or(0), *kept);
  }
  return used;
}

}  // namespace

std::optional<Finding> full_sort(const Context& c) {
  ReplacedWork work;
  int64_t used = 0, row = 0;
  for (const std::vector<uint32_t>& operators : operators_of_threads(c)) {
    for (size_t i = 0; i < operators.size(); ++i) {
      const uint32_t op = operators[i];
      if (!sorts(c.op_name(op)) || shape_of(c, op).empty()) continue;
      const auto kept = used_of(c, operators, i);
      if (!kept || 2 * *kept > shape_of(c, op).back()) continue;
      used = std::max(used, *kept);
      row = shape_of(c, op).back();
      const int key_bytes = c.element_bytes(op);
      const int reads = 8 * key_bytes / kDigitBits + 1;
      work.replace(c, op, static_cast<double>(reads * c.largest_input(op) * key_bytes));
    }
  }
  if (work.operators.empty()) return std::nullopt;
  Finding f;
  c.set_saving(f, work.change);
  if (saves_little(f)) return std::nullopt;
  f.title = fmt::format("{} {} whole rows are sorted, of which {} of {} elements are used",
                        format_count(c.per_step(work.calls)), work.calls == 1 ? "time" : "times", used, row);
  f.detail = fmt::format(
      "Sorting takes {} of device time {}. The saving assumes a selection that reads the rows once for each byte of "
      "an element, and once to gather.",
      format_ns(c.per_step(static_cast<double>(work.device_ns))), c.each_step());
  f.advice = "Use torch.topk (or kthvalue, max, min): it selects without sorting the rest.";
  f.evidence = {{"sorts_per_step", c.per_step(work.calls)},
                {"device_ns", work.device_ns / static_cast<int64_t>(c.program.steps)},
                {"elements_used", used},
                {"elements_sorted", row}};
  f.where = c.places(work.operators);
  return f;
}

}  // namespace warplens::findings
