// full-sort: a tensor is sorted, and only its first elements are used.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/program/analysis/host_work.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr size_t kUsedWithin = 8;  // operators after the sort
constexpr int kDigitBits = 8;      // of the keys: a selection counts one digit after the other

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

std::string_view type_of(const Context& c, uint32_t op) {
  const std::vector<std::string>& types = c.types(op);
  return types.empty() ? std::string_view() : types.front();
}

/// When the step in which `op` runs ends: what is sorted in it is not used in the next.
int64_t end_of_step(const Context& c, uint32_t op) {
  for (const analysis::Step& step : c.joined.steps) {
    const int64_t start_ns = c.p.operators.start_ns[op];
    if (step.rank == c.program.rank && step.start_ns <= start_ns && start_ns < step.end_ns) return step.end_ns;
  }
  return INT64_MAX;
}

/// Whether the first input of `op` can be a result of the sort: places, or values where it gives them.
bool can_be_sorted(const Context& c, uint32_t op, uint32_t sort) {
  const bool values = c.op_name(sort) == "aten::sort" && type_of(c, op) == type_of(c, sort);
  return shape_of(c, op) == shape_of(c, sort) && (values || type_of(c, op) == "long int");
}

/// The most elements of a row that are used of what operators[at] sorts; none where all may be.
std::optional<int64_t> used_of(const Context& c, const std::vector<uint32_t>& operators, size_t at) {
  const analysis::Shape sorted = shape_of(c, operators[at]);
  const int64_t end_ns = end_of_step(c, operators[at]);
  std::optional<int64_t> used;
  for (size_t i = at + 1; i < std::min(operators.size(), at + 1 + kUsedWithin); ++i) {
    const uint32_t op = operators[i];
    if (sorts(c.op_name(op)) || c.p.operators.start_ns[op] >= end_ns) break;
    if (!can_be_sorted(c, op, operators[at])) continue;
    const auto kept = kept_by(c, op, sorted.back());
    if (!kept && !analysis::only_arranges(c.op_name(op))) return std::nullopt;
    if (kept) used = std::max(used.value_or(0), *kept);
  }
  return used;
}

/// The time of a selection from so many elements.
double selection_ns(const Context& c, int64_t elements, int key_bytes) {
  const double each_sm = static_cast<double>(elements) / std::max(c.hardware.sm_count, 1);
  const int digits = 8 * key_bytes / kDigitBits;
  return digits * (each_sm / model::kDigitRate + model::kDigitNs) + each_sm / model::kSelectedRate;
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
      work.replace_by_ns(c, op, selection_ns(c, c.largest_input(op), c.element_bytes(op)));
    }
  }
  if (work.operators.empty()) return std::nullopt;
  Finding f;
  c.set_saving(f, work.change);
  if (saves_little(f)) return std::nullopt;
  const std::string times = format_count(c.per_step(work.calls));
  f.title = fmt::format("{} {} whole rows are sorted, of which {} of {} elements are used", times,
                        times == "1" ? "time" : "times", used, row);
  f.detail = fmt::format(
      "Sorting takes {} of device time {}. The saving assumes a selection that counts each byte of all elements, and "
      "then looks for those that it takes.",
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
